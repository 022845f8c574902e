# `make run` starts a server and `make test` runs the tests. Both install what they need. `make help` lists all targets.
# The laboratory's targets (benchmarks, tables, pictures) are in lab.mk.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python

# Debian packages that the tests need. The program itself needs none.
PACKAGES := chromium-headless-shell curl docker-compose faketime iproute2 nginx-light prometheus python3-venv redis-server sqlite3 strace systemd

# CI checks the page too.
ifeq ($(CI),true)
ifeq ($(shell command -v npm),)
PACKAGES += nodejs npm
endif
endif

# Installs the tools for JavaScript once for each lock file.
NODE_MODULES = { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund; }

# Writes exact versions for all systems, with the hashes of all files of each.
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url

# The page's parts without a DOM. Without Node they are skipped, except in CI.
PAGE_TESTS = if command -v npm >/dev/null 2>&1; then $(NODE_MODULES) && node --test --test-reporter=dot tests/page/*.test.js; \
	elif [ "$(CI)" = true ]; then echo "The page's tests need Node and npm: sudo apt install nodejs npm"; exit 1; \
	else echo "note: npm is not installed, so the page's own tests are not run"; fi

# A test validates the AsyncAPI document by the published schema, which is a package of npm. CI needs it.
PUBLISHED_SCHEMA = if command -v npm >/dev/null 2>&1; then $(NODE_MODULES); fi

# The tests that mirror the modules, without processes that run for long.
MODULES := tests/rules tests/engine tests/room tests/tournament tests/protocol tests/store tests/client tests/app

# Rules, rooms, the protocol, the client, the store on a file, and the quick part of the engine.
QUICK := tests/rules tests/room tests/tournament tests/protocol tests/client tests/store tests/engine/test_*.py --ignore=tests/store/redis

# Compiles the package once. Otherwise each server that a test starts compiles it, if PYTHONDONTWRITEBYTECODE is set.
COMPILED := $(BIN)/python -m compileall -q server/noughts

# On a machine that others use too, one test in thousands misses its time. In CI it runs once more, and the summary names it.
RERUNS := $(if $(filter true,$(CI)),--reruns 1 -raR)

# Many tests wait for a server, a browser or a flush, so three processes run the files on two cores. ARGS=-n0 runs all in one.
# Files run in the order of their names. After the long ones of faults and nodes come many quick ones, so no process waits long.
# They write compiled modules, whatever the environment says. Otherwise every process compiles the packages and the tests again.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(RERUNS)

.PHONY: run help quick test test-long test-modes coverage check lint types floors javascript message-types format \
        docs pre-commit release single lock clean copied packages

run: $(VENV)/run.stamp  ## Start a server on http://127.0.0.1:8000 (PORT=, HOST=, DATA=)
	@exec $(BIN)/noughts serve $(if $(HOST),--host "$(HOST)") $(if $(PORT),--port "$(PORT)") $(if $(DATA),--data "$(DATA)")

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { names = names " " $$1 } END { print "lab.mk has more:" names }' lab.mk

quick: $(VENV)/dev.stamp  ## Run the tests that need only Python, and the page's own where Node is, in under a minute
	@$(PAGE_TESTS)
	@$(COMPILED)
	$(PYTEST) -m "not long and not search" -k "not redis and not valkey" $(QUICK) $(ARGS)

test: $(VENV)/dev.stamp packages  ## Run the tests, except the long ones (ARGS= for pytest)
	@$(PAGE_TESTS)
	@$(PUBLISHED_SCHEMA)
	@$(COMPILED)
	$(PYTEST) -m "not long" $(ARGS)

test-long: $(VENV)/dev.stamp packages  ## Run all tests
	@$(PAGE_TESTS)
	@$(PUBLISHED_SCHEMA)
	@$(COMPILED)
	$(PYTEST) $(ARGS)

# python -O leaves out the server's assertions. python -X dev reports mistakes that Python forgives otherwise.
# The modes are variables because pytest-xdist gives Python's flags neither to its processes nor to servers that tests start.
test-modes: $(VENV)/dev.stamp packages  ## Run the tests that mirror modules under python -O and python -X dev (ARGS= for pytest)
	PYTHONOPTIMIZE=1 $(COMPILED)
	PYTHONOPTIMIZE=1 $(PYTEST) -m "not long" $(MODULES) $(ARGS)
	@$(COMPILED)
	PYTHONDEVMODE=1 $(PYTEST) -m "not long" $(MODULES) $(ARGS)

coverage: $(VENV)/dev.stamp  ## Show that the tests of the pure core run every line and branch of it
	@$(BIN)/coverage erase
	PYTHONDONTWRITEBYTECODE= $(BIN)/coverage run -m pytest -q -n 2 --dist loadfile -m "not long" tests/rules tests/room tests/tournament tests/protocol tests/test_errors.py tests/test_values.py
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --show-missing --skip-covered --fail-under 100

check: lint types floors javascript  ## Run every check that is not a test

lint: $(VENV)/dev.stamp  ## Check style and format with ruff, and the pages that come from the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.reference --check

types: $(VENV)/dev.stamp  ## Check Python types with mypy
	$(BIN)/mypy

floors: $(VENV)/dev.stamp  ## Check which module imports which
	$(BIN)/python -m pytest -q tests/project/test_floors.py

# On a machine without npm, this check is skipped. In CI, npm is installed.
javascript: $(if $(filter true,$(CI)),packages)  ## Check the page's types with TypeScript, its style and format with Biome
	@if command -v npm >/dev/null 2>&1; then \
	  $(NODE_MODULES) && npx --no-install tsc -p client_web/jsconfig.json && npx --no-install biome check --error-on-warnings; \
	elif [ "$(CI)" = true ]; then echo "The checks of the page need npm: sudo apt install npm"; exit 1; \
	else echo "note: npm is not installed, so the page's types and style are not checked"; fi

# It needs npm.
message-types: $(VENV)/dev.stamp  ## Write client_web/js/net/messages.d.ts from the server's types, and client.d.ts from the modules
	$(BIN)/python -m tools.message_types
	@$(NODE_MODULES)
	$(BIN)/python -m tools.client_types

format: $(VENV)/dev.stamp  ## Format the code and fix what ruff can fix
	@if command -v npm >/dev/null 2>&1; then $(NODE_MODULES) && npx --no-install biome check --write; fi
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pre-commit: $(VENV)/dev.stamp  ## Run these checks before every git commit
	@$(INSTALL) pre-commit
	$(BIN)/pre-commit install

docs: $(VENV)/run.stamp  ## Write the pages of docs/reference that come from the code
	$(BIN)/python -m tools.reference

release: $(VENV)/dev.stamp  ## Build the wheel and the sdist in dist/, as the workflow of a tag does
	rm -rf dist
	$(BIN)/python -m hatchling build --target sdist --target wheel --directory dist

# It runs with this Python on this system and processor alone: each has programs in C of its own.
SINGLE = dist/noughts-$(shell $(BIN)/python -c 'import platform, sys; print("py%d.%d" % sys.version_info[:2], sys.platform, platform.machine(), sep="-")').pyz

single: release  ## Build one file with the program and all its packages in dist/
	rm -rf build/single
	$(INSTALL) --target build/single --no-deps --no-build --require-hashes --requirement requirements/run.txt
	$(INSTALL) --target build/single --no-deps dist/*.whl
	$(BIN)/uv tool run --quiet shiv==1.0.8 --site-packages build/single --console-script noughts --compressed --output-file $(SINGLE)
	$(SINGLE) --version

# It asks the package index for the newest versions. The versions are valid on all systems.
lock: $(VENV)/dev.stamp  ## Renew the versions and hashes in requirements/
	@mkdir -p build && echo uv > build/uv.in && sed -n 's/^requires = \["\(.*\)"\]/\1/p' pyproject.toml > build/build.in
	$(LOCK) --all-extras --upgrade pyproject.toml --output-file build/dev.txt
	$(LOCK) --constraint build/dev.txt pyproject.toml --output-file build/run.txt
	$(LOCK) --constraint build/dev.txt build/build.in --output-file build/build.txt
	$(LOCK) --constraint build/dev.txt build/uv.in --output-file build/uv.txt
	@for name in run build dev uv; do \
	  { sed -n '/^#/p' requirements/$$name.txt && cat build/$$name.txt; } > build/lock && mv build/lock requirements/$$name.txt; done

clean:  ## Remove everything that was installed or built
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist node_modules

# --- set-up ---------------------------------------------------------------------------------------------------------

# A copy of the package in the environment, such as that of `pip install .`, hides the checkout. Then all is installed again.
COPY = $(wildcard $(VENV)/lib/python*/site-packages/noughts/__init__.py)

$(VENV)/run.stamp: requirements/run.txt $(if $(COPY),copied)
	@command -v "$(PYTHON)" >/dev/null || \
	  { echo "Noughts needs Python 3.11 or newer as $(PYTHON): install it (Debian: sudo apt install python3), or name one with make PYTHON=..."; exit 1; }
	@echo "installing Noughts in $(VENV), once"
	@$(PYTHON) tools/install.py $(VENV) run
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(if $(COPY),copied)
	@echo "installing Noughts and what its tests need in $(VENV), once"
	@$(PYTHON) tools/install.py $(VENV) dev
	@touch $(VENV)/run.stamp $@

copied:
	@echo "$(VENV) has a copy of Noughts that is not this checkout: it is replaced"

# Installs Debian's packages for the tests if it may. Otherwise it says what to install.
packages:
	@missing=""; for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' "$$package" 2>/dev/null | grep -q "install ok installed" || missing="$$missing $$package"; done; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ]; then sudo=""; elif sudo -n true 2>/dev/null; then sudo="sudo -n"; else \
	    echo "The tests need these packages: sudo apt install$$missing"; exit 1; fi; \
	  echo "installing$$missing"; \
	  $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null || \
	    { echo "The tests need these packages: sudo apt install$$missing"; exit 1; }; fi

include lab.mk
