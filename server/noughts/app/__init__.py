"""The program: wires rules, engine, room, protocol and store to sockets, timers, processes and the environment."""
