-- uses: room
-- Read a value. ARGV: its id.
return read_row(ARGV[1])
