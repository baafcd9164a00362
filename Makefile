# Every target sets up what it needs: a virtual environment in .venv, and the compiler where
# this user may install packages. PYTHON chooses the interpreter, CASE the arm of the demo.
PYTHON ?= python3
CASE ?= two_link_flexible
WORKERS ?= auto

VENV := .venv
BIN := $(VENV)/bin
FLEXGEN := $(BIN)/python -m flexgen
FILES := $(shell find flexgen fortran cases -type f -not -path '*/__pycache__/*')

.DEFAULT_GOAL := help
.PHONY: help venv compiler demo test lint types clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile

# OUT/NAME is the stem of what the demo writes. A case that says nothing of a motion falls freely
# for a second; one without beams has no modes.
NAME = $(basename $(notdir $(CASE)))
STEM = out/$(NAME)
FILE = $(firstword $(wildcard $(CASE) cases/$(CASE).toml))
SECOND = $(if $(shell grep -l '^\[simulate' $(FILE) /dev/null),,--duration 1)
FLEXIBLE = $(shell grep -l '^\[link.beam' $(FILE) /dev/null)

demo: venv compiler  ## one arm from case file to report, and a table of what was found
	@mkdir -p out && rm -f $(STEM)-*.json
	$(FLEXGEN) check $(CASE)
	$(FLEXGEN) generate $(CASE) --routine bias --passes none -o $(STEM)-plain.f90
	$(FLEXGEN) clear $(STEM)-plain.f90 -o $(STEM)-cleared.f90
	$(FLEXGEN) count $(CASE) --passes none --json >$(STEM)-plain.json
	$(FLEXGEN) count $(CASE) --passes full --json >$(STEM)-full.json
	$(FLEXGEN) build $(CASE)
	$(FLEXGEN) verify $(CASE) --json >$(STEM)-verify.json
	$(FLEXGEN) simulate $(CASE) $(SECOND) -o $(STEM).nc --json >$(STEM)-simulate.json
	$(if $(FLEXIBLE),$(FLEXGEN) modal $(CASE) --json >$(STEM)-modal.json)
	$(FLEXGEN) report $(CASE) --simulate $(STEM).nc -o $(STEM).html
	@$(BIN)/python benchmarks/summary.py $(STEM)

test: venv compiler  ## all tests
	$(BIN)/python -m pytest -n $(WORKERS)

lint: venv  ## style of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv  ## static types
	$(BIN)/mypy

venv: $(VENV)/installed  ## the virtual environment, with the project and its tools

clean:  ## remove all that make has made
	rm -rf $(VENV) build dist out .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# apt PACKAGE...: install without questions, or fail quietly where this user may not
APT := apt() { \
    command -v apt-get >/dev/null || return 1; \
    if [ "$$(id -u)" = 0 ]; then as=; else as="sudo -n"; $$as true 2>/dev/null || return 1; fi; \
    get="$$as env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends"; \
    { $$get install "$$@" || { $$get update && $$get install "$$@"; }; } </dev/null >/dev/null 2>&1; \
  }

compiler: venv
	@$(APT); \
	headers() { $(BIN)/python -c 'import os, sys, sysconfig; \
	  sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'; }; \
	command -v "$${FC:-gfortran}" >/dev/null || apt gfortran libc6-dev || \
	  echo "gfortran is missing: install it (apt-get install gfortran); going on with NumPy alone"; \
	headers || apt python3-dev || \
	  echo "Python.h is missing: install it (apt-get install python3-dev); going on with NumPy alone"

# the tools change with pyproject.toml, the copy of the project with any of its files
$(VENV)/installed: $(VENV)/tools meson.build $(FILES)
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation .
	@touch $@

$(VENV)/tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "$(PYTHON) is missing or older than 3.10: set PYTHON to a newer one"; exit 1; }
	@$(APT); $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || apt python3-venv || \
	  { echo "the venv module is missing: install it (apt-get install python3-venv)"; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet '.[test]'
	@touch $@
