# Everything a person does here is a target: `make help` lists them.
VENV   := .venv
BIN    := $(VENV)/bin
PYTHON ?= python3
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help quickstart test check lint clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(firstword $(MAKEFILE_LIST)) | awk -F':.*## ' '{printf "  %-22s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv "$(VENV)"
	"$(BIN)/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	@touch "$(STAMP)"

quickstart: $(STAMP) ## set everything up and compare iris with the paper
	"$(BIN)/sgpmic" benchmark --dataset iris --variance 95

test: $(STAMP) lint ## lint, types and tests (what CI runs)
	"$(BIN)/python" -m pytest

check: test ## the same as test

lint: $(STAMP) ## ruff and mypy
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy"

clean: ## remove the environment and caches
	rm -rf "$(VENV)" .mypy_cache .ruff_cache .pytest_cache build dist
