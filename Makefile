# The doors of the project. Each builds what it needs into .venv by itself; only Python 3.11 or newer is assumed.
#
#   make demo     make and check a small dataset and write demo/report.html
#   make studio   explore the worlds in the browser   (make studio ARGS="DATA RUNS" for your own)
#   make quick    the theory, the languages and the house rules: half a minute, to run while you write
#   make test     every verb, world and page: minutes  (make test ARGS="tests/scene" for some of them)
#   make test-slow  the tests that take longer
#   make test-all both, and fuzz every reader          (make test-all FUZZ="--inputs 500000 --minutes 120")
#   make check    formatting, lint, types, layers
#   make format   put the formatting right
#   make bench    measure the promises of speed        (make bench ARGS="...")
#   make docs     build the documentation into site/
#   make dist     build the wheel and the source archive into dist/
#   make smoke    build them, install the wheel into an empty environment and try it there
#   make clean    remove everything that was built, .venv included

PYTHON ?= python3
ARGS ?=
FUZZ ?= --inputs 100000 --minutes 60
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt

# Kernels are compiled once, before several processes ask for them at the same time.
WARM := if $(BIN)/deixis warm --help >/dev/null 2>&1; then $(BIN)/deixis warm; fi

# Some tests drive a browser. Where Chromium can be had without asking anybody it is, otherwise these tests are skipped.
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20
BROWSER := for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit; done; \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then echo "Installing Chromium for the tests in a browser"; \
	{ $(APT) update && $(APT) install -y --no-install-recommends chromium fonts-liberation; } >/dev/null 2>&1 || \
	echo "Chromium cannot be installed; the tests in a browser are skipped"; fi

# Without byte code every start of the program would be two to four times slower.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo studio quick test test-slow test-all check format bench docs dist smoke clean
.DEFAULT_GOAL := demo
.DELETE_ON_ERROR:

demo: $(VENV)/.demo
	$(BIN)/deixis demo --out demo $(ARGS)

studio: $(VENV)/.studio
	$(BIN)/deixis studio $(ARGS)

# As many processes as cores, each of which keeps to whole files as long as it can: what a file makes is made once.
PYTEST = $(BIN)/python -m pytest -q -n auto --dist worksteal --durations=20

# No torch, no browser and no other process: tests that ask for them fail here and belong to `make test`.
QUICK := $(addprefix tests/,scene expression resolution distractors language speakers splits $(addprefix test_,$(addsuffix .py, \
	schema seeds settings numbers losses testing house words)))

quick: $(VENV)/.test
	$(PYTEST) --alone -m "not slow and not browser and not data and not gpu" $(QUICK) $(ARGS)

test: $(VENV)/.test
	@$(BROWSER)
	@$(WARM)
	$(PYTEST) -m "not slow and not gpu" $(ARGS)

test-slow: $(VENV)/.test
	@$(BROWSER)
	@$(WARM)
	$(PYTEST) -m "slow and not gpu" $(ARGS)

test-all: $(VENV)/.test
	@$(BROWSER)
	@$(WARM)
	$(PYTEST) -m "not gpu" --hypothesis-profile=usual $(ARGS)
	nice $(BIN)/python -m tests.fuzz $(FUZZ)

check: $(VENV)/.check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.check
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.test
	@$(WARM)
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

dist: $(VENV)/.check
	rm -rf dist
	$(BIN)/python -m build

smoke: $(VENV)/.test
	$(BIN)/python -m pytest -q -m slow tests/release/test_wheel.py $(ARGS)

clean:
	rm -rf $(VENV) build dist site demo .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

# ---------------------------------------------------------------------------------------------------- environment

# A stamp for each set of extras; a change of pyproject.toml or of the constraints installs it again.
$(VENV)/.demo: EXTRAS := data,report
$(VENV)/.studio: EXTRAS := studio
$(VENV)/.test: EXTRAS := test
$(VENV)/.check: EXTRAS := all,dev
$(VENV)/.docs: EXTRAS := docs

# Named exactly and by itself, torch is taken from where a build for the CPU lies at hand; a later one brings gigabytes.
$(VENV)/.test $(VENV)/.check: TORCH := torch==2.13.0

$(VENV)/.demo $(VENV)/.studio $(VENV)/.test $(VENV)/.check $(VENV)/.docs: pyproject.toml constraints.txt $(VENV)/.place
	@echo "Installing deixis[$(EXTRAS)] into $(VENV) (a few minutes the first time)"
	$(if $(TORCH),$(PIP) $(TORCH))
	$(PIP) --editable ".[$(EXTRAS)]"
	@touch $@

# An environment remembers where it was made; in a moved or copied tree it would run the old tree's code, so it is made anew.
ifneq ($(shell cat $(VENV)/.place 2>/dev/null),$(shell pwd))
.PHONY: $(VENV)/.place
endif

$(VENV)/.place:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Deixis needs Python 3.11 or newer; name one with: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments; install the module: apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
	@pwd > $@
