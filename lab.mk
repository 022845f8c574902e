# The laboratory: programs that measure the server, and programs that make what is shipped. `make help` lists the other targets.

.PHONY: soak bench books prove strength fingerprint icons kernels puzzles

soak: $(VENV)/dev.stamp  ## Let visitors come and go for 5 minutes, and show that the server's memory does not grow (MINUTES=)
	$(BIN)/python -m bench.soak --minutes $(or $(MINUTES),5)

bench: $(VENV)/dev.stamp  ## Compare this server with a bare one, in about 4 minutes on an idle machine (ARGS="pair PATH" for a checkout, ARGS=calls to count)
	$(BIN)/python -m bench $(ARGS)

# It takes some minutes. The book of qubic needs a C compiler.
books: $(VENV)/dev.stamp  ## Generate the engine's tables again (BOOK=5x5 for one of them)
	$(BIN)/python -m tools.books $(or $(BOOK),all)

# It takes from seconds to some minutes.
prove: $(VENV)/dev.stamp  ## Prove a variant's tables or the puzzles again (ARGS="four-in-a-row --sample 500", ARGS=--puzzles)
	$(BIN)/python -m tools.prove $(ARGS)

# The page shows these figures.
strength: $(VENV)/dev.stamp  ## Measure the engine's levels by playing
	$(BIN)/python -m tools.strength $(ARGS)

# If the node counts change, the engine's search has changed.
fingerprint: $(VENV)/dev.stamp  ## Compare the node counts of fixed searches (ARGS=--write stores them)
	$(BIN)/python -m tools.lab.fingerprint $(ARGS)

icons: $(VENV)/dev.stamp  ## Draw the icons of the installed page again
	$(BIN)/python -m tools.icons

# It needs clang and lld. Nothing else does: the programs are part of the repository.
kernels: $(VENV)/dev.stamp  ## Build the engine's searches in C, as WebAssembly
	$(BIN)/python -m tools.kernels

# It takes from seconds to half an hour. `make prove ARGS=--puzzles` proves them again.
puzzles: $(VENV)/dev.stamp  ## Find the puzzles of a variant again (VARIANT=, COUNT=)
	$(BIN)/python -m tools.puzzles $(VARIANT) --count $(or $(COUNT),100)
