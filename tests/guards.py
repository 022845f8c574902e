"""Guards that matter for security, durability and idempotency: how to remove each, and the tests that must then fail.

`make mutants` tries them all. A guard is found by the name of its function and by what it does. After a renaming, adapt the
row here: tests/project/test_guards.py names the rows whose guard is not found.
"""

from __future__ import annotations

from typing import Final

from tests.support.guard import guards_of as _of
from tests.support.removal import always, drop, gives, skip, swap

DURABILITY: Final = (
    *_of(
        "store.sqlite.changes",
        "store/test_contract_commits.py store/test_contract_rooms.py",
        (
            "A change is stored only at the version that it expects",
            "store_plain",
            swap(
                "db.executemany(tables_of(kind).update, rows).rowcount == len(rows)",
                "bool(db.executemany(tables_of(kind).update, rows))",
            ),
        ),
        ("A known id has no second effect where the version stays", "_add_command_ids", skip("_known_version")),
        ("A change at another version finds out that its id is known", "_known_version", gives("None")),
    ),
    *_of(
        "store.sqlite.transaction",
        "store/sqlite/test_transaction.py store/test_contract_commits.py",
        ("A request that fails is rolled back alone", "_run_alone", drop("ROLLBACK TO request")),
        ("A request that meets damage fails alone", "_is_outage", skip("is_damage")),
    ),
    *_of(
        "store.sqlite.writer",
        "store/sqlite/test_writer.py",
        ("No change is acknowledged from a file that is gone", "Writer._transact", drop("self._check()")),
    ),
    *_of(
        "store.sqlite.database_file",
        "store/sqlite/test_database_file.py",
        ("A file that is gone is noticed", "DatabaseFile.loss_reason", always("self._file is None")),
        ("A log that is gone is noticed", "DatabaseFile.check", skip("self._log_file")),
        (
            "A commit is flushed before it is answered",
            "DatabaseFile._prepare",
            swap("'PRAGMA synchronous=FULL'", "'PRAGMA synchronous=NORMAL'"),
        ),
        ("A log without its file is left alone", "DatabaseFile._make_if_missing", skip("self._log")),
        ("The database file is locked", "DatabaseFile.lock", drop("fcntl.flock")),
        ("A file is checked before it is opened", "DatabaseFile._inspect", skip("check_pages")),
    ),
    *_of(
        "store.sqlite.inspection",
        "store/sqlite/test_database_file.py store/sqlite/test_inspection.py",
        ("A file of a newer release is rejected", "check_kind", skip("version > newest")),
        ("The database of another program is rejected", "check_kind", skip("version == 0")),
        ("A damaged page keeps the server from starting", "check_pages", skip("verdict != 'ok'")),
    ),
    *_of(
        "store.redis.lua.commit.lua",
        "store/test_contract_commits.py store/redis/test_store.py",
        ("Redis knows the id of a command that was answered", "if place then", None),
        ("Redis stores a change only at the version that it expects", "  if stored ~= expected then", None),
        (
            "Redis rejects a late write of a node that was given up",
            "if call('HEXISTS', P .. 'nodes', node) == 0 then",
            None,
        ),
    ),
    *_of(
        "store.redis.lua.beat.lua",
        "store/redis/test_store.py",
        ("The time of Redis does not go backwards after a failover", "if now + skew < newest then", None),
    ),
    *_of(
        "store.redis.client",
        "store/redis/test_client.py",
        ("redis-py does not connect again by itself", "send", skip("not connection.is_connected")),
        ("A replica is not used as a primary", "connect", skip("role != b'master'")),
    ),
    *_of(
        "store.redis.connection",
        "store/redis/test_connection.py",
        ("A message is acted on before a later answer", "RedisConnection._read", skip("receiver.acting")),
    ),
)

ROOMS: Final = (
    *_of(
        "room.idempotency",
        "room/test_idempotency.py",
        ("A long id is kept in 32 bytes", "command_key", always("MAX_PLAIN_ID")),
    ),
    *_of(
        "app.rooms.machine",
        "app/rooms/test_machine.py",
        ("The ids of a room are bounded, however many players it has", "RoomMachine.remember", skip("MAX_BYTES")),
    ),
    *_of(
        "app.machines.actor",
        "app/machines/test_actor.py app/machines/test_actor_nodes.py",
        ("A rejection is checked in a store that nodes share", "Actor._step", always("self._repository.shared")),
        ("An older change of another node is not shown", "Actor._take_over", skip("change.version <=")),
    ),
    *_of(
        "room.seats",
        "room/test_seats.py",
        ("A seat needs the invite", "sit", swap("compare_digest(invite, room.invite.encode())", "True")),
        ("A player has one seat of a room", "sit", skip("own is not None")),
    ),
    *_of(
        "room.step",
        "races/test_room_machine.py attacks/test_authority.py",
        ("Only the owner changes a room", "_check_owner", skip("room.owner.player != by.player")),
        ("A move needs the turn", "_move", skip("history.turn != mark")),
        ("A move needs the current ply", "_move", skip("command.ply != history.ply")),
    ),
    *_of(
        "room.turn_start",
        "room/test_turn_start.py",
        (
            "No command is judged before its turn began",
            "judged_as_of",
            swap("max(arrived_ms, room.used_ms, began_ms)", "arrived_ms"),
        ),
    ),
    *_of(
        "app.rooms.factory",
        "app/rooms/test_factory.py",
        ("A player has a number of rooms", "RoomFactory._check_number", skip("MAX_ROOMS_OF_PLAYER")),
        ("A network has a number of rooms", "RoomFactory._check_number", skip("crowded is not None")),
        ("The server has a number of rooms", "RoomFactory._check_number", skip("total >= most")),
    ),
    *_of(
        "protocol.audience",
        "protocol/test_audience.py",
        ("Only seat holders and the owner see the invite", "you", always("mark is not None or owner")),
    ),
)

TOURNAMENTS: Final = (
    *_of(
        "app.endpoints.tournaments",
        "app/tournaments/test_endpoints.py",
        ("A wrong PIN costs one of ten tries", "TournamentEndpoints._with_pin", swap("PIN_TRIES", "100")),
    ),
    *_of(
        "tournament.step",
        "tournament/test_step_reports.py",
        ("Each game of a match counts once", "_report", skip("report.game != match.game")),
    ),
    *_of(
        "room.room",
        "room/test_match_play.py",
        ("The seats and settings of a match are fixed", "check_not_of_match", skip("room.match is not None")),
    ),
    *_of(
        "protocol.tournament_views",
        "protocol/test_tournament_views.py",
        ("Only the host and entrants get the PIN", "TournamentMessages._own", always("pin")),
        ("A name is no formula in a table", "results_csv", swap("each.name.startswith(_FORMULA)", "False")),
    ),
    *_of(
        "app.tournaments.records",
        "app/tournaments/test_play.py",
        ("The whole id of a room finds its records", "MatchRecords._place", skip("match_room_id(value.secret, key)")),
    ),
)

LIMITS: Final = (
    *_of(
        "app.runtime.limits",
        "app/runtime/test_limits.py",
        ("Resume codes have few tries with limits off, too", "Limits.take_shared", swap("limit is RESUME", "False")),
    ),
    *_of(
        "app.endpoints.command_receiver",
        "app/endpoints/test_command_receiver_credit.py",
        ("A client without credit is not read", "ClientCredit._note_rejection", drop("self._connection.rest(")),
        ("A client far beyond its credit is closed", "ClientCredit._note_rejection", skip("bucket.take(now_s)")),
        ("A player has credit over all sockets", "ClientCredit._opened", drop("MESSAGES_OF_PLAYER")),
    ),
    *_of(
        "app.delivery.admission",
        "app/delivery/test_admission.py",
        ("A network has a number of connections", "Admission.admit", skip("self._of_network[network]")),
        (
            "When all is used, the heaviest network gives one up",
            "Admission.admit",
            swap("not self._displace_for(networks[0])", "True"),
        ),
        ("A connection that misses its deadline is dropped", "Admission.drop_overdue", gives("None")),
    ),
    *_of(
        "app.delivery.sender",
        "app/delivery/test_sender.py",
        ("Slow readers are cut", "Sender._wait_for_reader", swap("left_s - _POLL_S", "SLOW_S")),
        ("The outbox of a client is bounded", "Sender._keep", skip("MAX_OUTBOX")),
        ("A pong must carry the payload of the ping", "Sender.pong_received", swap("payload != ping[0]", "False")),
    ),
    *_of(
        "app.delivery.connection",
        "app/delivery/test_connection.py",
        ("A client's bytes are read in pieces", "Connection._read_piece", skip("PIECE")),
        ("Bytes and frames are charged", "Connection._read_piece", skip("self._meter is not None")),
        ("Nothing is read before an open question is settled", "Connection.pause", drop("pause_reading")),
        ("What follows a Close frame is dropped", "Connection.data_received", swap("self._drops", "False")),
    ),
    *_of(
        "app.delivery.frames",
        "app/delivery/test_frames.py app/delivery/test_connection.py",
        ("A message has a size", "FrameReader._parse", swap("MAX_FRAME - len(parts)", "None")),
        ("A length has its shortest form", "FrameReader._check_length", skip("< least")),
    ),
    *_of(
        "app.delivery.connection",
        "app/delivery/test_frames.py",
        ("A part of a frame is no short text", "Connection.data_received", swap("self._frames is None", "True")),
    ),
    *_of(
        "app.delivery.front_door",
        "attacks/test_deaf_sockets.py",
        ("Send buffers are bounded", "FrontDoor.connection_made", drop("socket.SO_SNDBUF")),
    ),
    *_of(
        "app.delivery.front_door",
        "app/delivery/test_front_door.py",
        ("The head of a request must arrive in time", "FrontDoor.is_overdue", swap("HEAD_S", "1e9")),
        ("The bytes of requests are charged", "FrontDoor.data_received", skip("self._metered")),
        ("A body is not read on without credit", "FrontDoor.resume_reading", skip("self._resuming is not None")),
    ),
    *_of(
        "app.delivery.hub",
        "app/delivery/test_hub.py",
        ("Silent clients are dropped", "Hub.ping_silent", skip("SILENT_S")),
    ),
    *_of(
        "app.endpoints.websocket",
        "app/endpoints/test_websocket_closing.py",
        ("A network has a number of sockets", "WebSocketEndpoint.serve", skip("MAX_SOCKETS_OF_ADDRESS")),
        ("A player has a number of sockets", "WebSocketEndpoint._enter", skip("MAX_SOCKETS_OF_PLAYER")),
    ),
    *_of(
        "app.runtime.logs",
        "app/runtime/test_logs.py",
        ("The lines that wait to be logged are bounded", "LogWriter.write", skip("self._max_waiting")),
    ),
)

STRANGERS: Final = (
    *_of(
        "app.endpoints.websocket",
        "app/endpoints/test_websocket_handshake.py",
        ("A page of another origin cannot connect", "WebSocketEndpoint.serve", skip("origin_allowed")),
        ("Two Origin headers are rejected", "origin_allowed", skip("len(values) > 1")),
    ),
    *_of(
        "app.endpoints.middleware",
        "app/endpoints/test_middleware.py",
        ("Requests of an address are counted", "check", drop("take_for_networks(REQUESTS")),
        ("A banned address is rejected", "check", skip("bans.holds")),
        ("A secret in a URL is rejected", "check", skip("_SECRET_PARAMETERS")),
    ),
    *_of(
        "app.endpoints.requests",
        "app/endpoints/test_sign_on.py",
        ("A name header counts from trusted proxies only", "identity_of", skip("within(plain(")),
        ("Two name headers are rejected", "identity_of", skip("len(values) > 1")),
    ),
    *_of(
        "app.endpoints.middleware",
        "app/endpoints/test_sign_on.py",
        ("Only people who signed on are let in", "_check_visitor", skip("config.guests ==")),
    ),
    *_of(
        "app.endpoints.requests",
        "app/endpoints/test_requests.py attacks/test_other_sites.py attacks/test_request_lines.py",
        (
            "Few hops of X-Forwarded-For are parsed",
            "client_address",
            swap("islice(_hops(request), MAX_HOPS)", "list(_hops(request))"),
        ),
        ("The address comes from trusted proxies only", "client_address", skip("within(address, config.trusted)")),
        ("Metrics are not for a request through a proxy", "is_trusted", skip("_PROXIED")),
        (
            "Metrics are not for a page with a foreign Host",
            "is_trusted",
            swap("host == 'localhost' or is_loopback(host)", "True"),
        ),
        ("An encoded body is rejected", "check_shape", skip("CONTENT_ENCODING")),
        ("A malformed Host is rejected", "check_shape", skip("_MAX_PORT")),
        ("A POST needs the content type of JSON", "check_shape", swap("request.method == 'POST'", "False")),
        ("A body must arrive in time", "body_of", swap("asyncio.timeout(BODY_S)", "asyncio.timeout(None)")),
    ),
    *_of(
        "app.endpoints.admin_access",
        "attacks/test_authority.py app/endpoints/test_admin_access.py",
        ("Admin endpoints need the secret", "AdminAccess.check", skip("self._passes.is_session")),
        ("A session makes no code", "AdminAccess._new_code", skip("request[OPERATOR] != COMMAND_LINE")),
    ),
    *_of(
        "app.endpoints.command_receiver",
        "attacks/test_authority.py",
        (
            "An id belongs to its player",
            "CommandReceiver._carry_out",
            swap("command_key(person.player, command.id)", "('', command.id)"),
        ),
    ),
    *_of(
        "app.players.identity",
        "app/players/test_identity.py",
        ("Only hashes of secrets are stored", "hash_secret", gives("secret.encode('utf-8', 'replace')")),
        ("A token cannot be guessed", "new_token", gives("secrets.token_urlsafe(8)")),
        ("An invite cannot be guessed", "new_secret", gives("secrets.token_urlsafe(8)")),
        ("A name cannot turn the text after it", "clean_name", swap("FORBIDDEN.search(cleaned)", "False")),
    ),
    *_of(
        "app.players.guests",
        "app/players/test_guests.py app/endpoints/test_sign_on.py",
        ("A token of another identity is unknown", "Guests.person", skip("identity is not None")),
        ("A deleted token ends on every node", "Guests.delete", drop("self._relay.announce")),
        (
            "A token is read from the store again after a minute",
            "Guests.person",
            swap("cached.until_ms <= now_ms", "False"),
        ),
    ),
    *_of(
        "app.page.html",
        "app/page/test_html.py",
        ("A title is text", "Html.render", swap("escape(head.title)", "head.title")),
    ),
    *_of(
        "app.page.files",
        "app/endpoints/test_pages.py",
        ("No other site may frame a page", "policy", swap("\"'none'\"", "'*'")),
    ),
    *_of(
        "store.redis.failures",
        "store/redis/test_failures.py",
        ("A reason of Redis repeats no password", "reason_of", gives("str(error)")),
    ),
    *_of(
        "app.machines.repository",
        "app/rooms/test_machine.py",
        (
            "The log quotes nothing of a room that cannot be read",
            "readable",
            swap("type(error).__name__", "str(error)"),
        ),
    ),
    *_of(
        "app.runtime.data_directory",
        "app/runtime/test_data_directory.py",
        ("New files are closed to other accounts", "private_files", swap("_OTHERS", "0o022")),
        ("Older files are closed to other accounts", "close_to_others", drop("path.chmod")),
    ),
)

NOTICES: Final = (
    *_of(
        "app.push.posts",
        "app/push/test_posts.py",
        ("A post goes to no private address", "CheckedResolver.resolve", skip("self._private")),
        ("A post follows no redirect", "Poster._try", swap("False", "True")),
        ("A post waits ten seconds at most", "Poster._connected", swap("POST_S", "None")),
    ),
    *_of(
        "app.runtime.push_hosts",
        "app/runtime/test_push_hosts.py",
        ("Only the push services of the list get posts", "checked_endpoint", skip("entries")),
        ("An endpoint uses HTTPS", "checked_endpoint", swap("url.scheme != 'https'", "False")),
        ("An endpoint has no user", "checked_endpoint", skip("'@'")),
        ("A mapped address is as private as its own", "is_public", skip("inside is not None")),
    ),
    *_of(
        "app.endpoints.push",
        "app/endpoints/test_push.py",
        ("A name with a private address is no endpoint", "PushEndpoints._check_addresses", skip("is_public")),
    ),
    *_of(
        "app.rooms.notifier",
        "app/rooms/test_notifier.py",
        ("A player gets no notice of a turn that has passed", "Notifier._deliver", skip("not is_wanted")),
        ("A forgotten guest gets no notice", "Notifier._is_wanted", swap("subscription.endpoint in endpoints", "True")),
        (
            "A player gets so many notices on a day",
            "Notifier._credit_ms",
            swap("min(wait_ms, DAY_MS - now_ms % DAY_MS)", "0"),
        ),
        ("A device that is gone is forgotten", "Notifier._note", swap("answer.gone", "False")),
    ),
)

GUARDS: Final = (*DURABILITY, *ROOMS, *TOURNAMENTS, *LIMITS, *STRANGERS, *NOTICES)
