-- uses: room
-- Read a room. ARGV: room.
return read_room(ARGV[1])
