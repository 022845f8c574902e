# Two commands for a start: `make run` and `make test`. Everything they need is installed here.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check install

# Debian packages that the tests need; the program itself needs none.
PACKAGES := chromium curl strace

.PHONY: run test test-long check format bench books strength fingerprint fast docs clean packages javascript

run: $(VENV)/run.stamp
	@exec $(BIN)/noughts serve $(if $(HOST),--host "$(HOST)") $(if $(PORT),--port "$(PORT)") $(if $(DATA),--data "$(DATA)")

test: $(VENV)/dev.stamp packages
	$(BIN)/python -m pytest -m "not long" $(ARGS)

# Everything, also what takes more than a few minutes.
test-long: $(VENV)/dev.stamp packages
	$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/dev.stamp javascript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/project/test_floors.py

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev.stamp
	$(BIN)/python -m tests.bench $(ARGS)

# The tables of the engine anew: BOOK=5x5 for one of them. A quarter of an hour after `make fast`, six times that without.
books: $(VENV)/dev.stamp
	$(BIN)/python -m tools.books $(or $(BOOK),all)

# How strong each level is, measured by playing; the page shows it.
strength: $(VENV)/dev.stamp
	$(BIN)/python -m tools.strength $(ARGS)

# What a fixed set of searches costs: a change of it is a change of the engine. ARGS=--write keeps it.
fingerprint: $(VENV)/dev.stamp
	$(BIN)/python -m tools.fingerprint $(ARGS)

# Compiles the search of four in a row, which needs a C compiler; nothing depends on it.
fast: $(VENV)/dev.stamp
	@$(PIP) setuptools
	cd server && "$(CURDIR)/$(BIN)/mypyc" noughts/engine/four_in_a_row/search.py

# The docs that are generated.
docs: $(VENV)/run.stamp
	$(BIN)/noughts settings > docs/settings.md

# --- set-up ---------------------------------------------------------------------------------------------------------

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Noughts needs Python 3.11 or newer as $(PYTHON): install it (Debian: sudo apt install python3), or name one with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Noughts needs Python's venv: install it (Debian: sudo apt install python3-venv)."; exit 1; }
	@echo "making $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)

$(VENV)/run.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing Noughts in $(VENV), once"
	@$(PIP) --constraint constraints.txt --editable .
	@touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt $(VENV)/run.stamp
	@echo "installing what the tests need in $(VENV), once"
	@$(PIP) --constraint constraints.txt --editable '.[dev]'
	@touch $@

# Debian's packages for the tests: installed when missing and permitted, else one line says what to install.
packages:
	@missing=""; for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' "$$package" 2>/dev/null | grep -q "install ok installed" || missing="$$missing $$package"; done; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ]; then sudo=""; elif sudo -n true 2>/dev/null; then sudo="sudo -n"; else \
	    echo "The tests need these packages: sudo apt install$$missing"; exit 1; fi; \
	  echo "installing$$missing"; \
	  $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null || \
	    { echo "The tests need these packages: sudo apt install$$missing"; exit 1; }; fi

# The page's types, where Node is there; CI insists.
javascript:
	@if command -v npm >/dev/null 2>&1; then \
	  { [ -d node_modules/typescript ] || npm ci --silent --no-audit --no-fund; } && npx --no-install tsc -p client_web/jsconfig.json; \
	elif [ "$(CI)" = true ]; then echo "The page's type check needs Node: sudo apt install npm"; exit 1; \
	else echo "note: no npm here, so the page's types are not checked"; fi

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist node_modules
