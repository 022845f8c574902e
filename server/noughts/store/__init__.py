"""Where rooms and players are kept: a contract, and what fulfils it."""
