# `make help` lists the targets.
VENV    := .venv
BIN     := $(VENV)/bin
PYTHON  ?= python3
RUN     := $(VENV)/.installed
DEV     := $(VENV)/.installed-dev
STUDY   := $(VENV)/.installed-study
GPY     := .venv-gpy
RIVALS  := .venv-rivals
OLDEST  := .venv-oldest
CLEAN   := .venv-wheel
RESULTS := results
GroupMap  := "$(BIN)/sgpmic"
STORE   := --store $(RESULTS)/runs
# The tables report failed runs (exit code 3), so the following targets continue.
REPORTED := || test $$? -eq 3
FIGURES := reproduce-figure1 reproduce-figure2 reproduce-figure3 reproduce-figure4 \
           reproduce-figure5 reproduce-figure6 reproduce-figure7 reproduce-figure8

.DEFAULT_GOAL := help
# `results` is also a folder.
.PHONY: results report numbers invariance speed-estimators help quickstart test pytest test-slow coverage check check-slow lint docs dist wheel-test test-oldest clean speed speed-end-to-end study missing-study map-study verdicts mixed-tables kill-test search-settings agreement reproduce reproduce-table1 reproduce-table2 reproduce-as-stated reproduce-nulls reproduce-bounds reproduce-report $(FIGURES)

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(firstword $(MAKEFILE_LIST)) | awk -F':.*## ' '{printf "  %-22s %s\n", $$1, $$2}'

# One environment in two stages: first the run-time dependencies, then the development tools.
INSTALL := "$(BIN)/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

$(RUN): pyproject.toml constraints.txt
	$(PYTHON) -m venv "$(VENV)"
	$(INSTALL) --editable .
	@touch "$@"

$(DEV): $(RUN)
	$(INSTALL) --editable ".[dev]"
	@touch "$@"

quickstart: $(RUN) ## install the run-time dependencies and compare iris with the paper
	$(GroupMap) benchmark --dataset iris --variance 95

test: $(DEV) ## lint, types and tests, side by side (what CI runs)
	$(MAKE) --jobs=2 lint pytest

pytest: $(DEV)
	"$(BIN)/python" -m pytest -n 2

test-slow: $(DEV) ## the slow tests: real processes, builds, examples, all estimator checks
	"$(BIN)/python" -m pytest -n 2 -m slow

coverage: $(DEV) ## run the tests of `make test` and print the line coverage of each module
	"$(BIN)/python" -m pytest -n 2 --cov=sgpmic --cov=sgpmic_cli --cov-report=term:skip-covered

lint: $(DEV) ## ruff, mypy and the import contracts
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy"
	"$(BIN)/lint-imports"

kill-test: $(DEV) ## kill -9 at thirty moments of benchmark and fit, and compare
	KILLS=15 "$(BIN)/python" -m pytest -m slow tests/hostile/test_kills.py

check: $(RUN) ## the gate, `sgpmic check`: recompute the fast cells and compare them with the reference
	$(GroupMap) check

check-slow: $(RUN) ## the same for a random tenth of all cells
	$(GroupMap) check --random

$(VENV)/.docs: $(RUN)
	$(INSTALL) --editable ".[docs]"
	@touch "$@"

docs: $(VENV)/.docs ## run the gallery, write the reference pages, build the documents into build/docs
	"$(BIN)/python" docs/gallery/run_all.py
	"$(BIN)/python" docs/write_command_line.py
	NO_MKDOCS_2_WARNING=1 "$(BIN)/python" -m mkdocs build --strict --quiet
	@echo "build/docs/index.html"

# The wheel in a new environment, with the newest and with the oldest allowed dependencies.
# `python -P` leaves the current folder out of the search path, so that the wheel is tested and not the checkout.
dist: $(DEV) ## wheel and sdist into dist/
	rm -rf dist
	"$(BIN)/python" -m build --no-isolation --outdir dist .

wheel-test: dist ## install the wheel in a clean environment and test it there
	rm -rf "$(CLEAN)"
	$(PYTHON) -m venv "$(CLEAN)"
	"$(CLEAN)/bin/python" -m pip install --quiet --disable-pip-version-check dist/*.whl pytest
	"$(CLEAN)/bin/python" -P -m pytest --rootdir=tests/release -c /dev/null --noconftest -q tests/release/installed_wheel.py

test-oldest: dist ## the same, and the tests of the model, with the oldest dependencies that pyproject.toml allows
	rm -rf "$(OLDEST)"
	$(PYTHON) -m venv "$(OLDEST)"
	$(PYTHON) tests/release/oldest_versions.py | "$(OLDEST)/bin/python" -m pip install --quiet --disable-pip-version-check -r /dev/stdin
	"$(OLDEST)/bin/python" -m pip install --quiet --disable-pip-version-check dist/*.whl pytest hypothesis autograd
	"$(OLDEST)/bin/python" -m pip check
	"$(OLDEST)/bin/python" -P -m pytest --rootdir=tests/release -c /dev/null --noconftest -q tests/release/installed_wheel.py
	"$(OLDEST)/bin/python" -P -m pytest -q -p no:cacheprovider tests/clustering tests/paper/model tests/tables tests/test_gp.py tests/test_scores.py

# The parts of the paper. Every target resumes: finished runs are stored in results/runs.
reproduce: reproduce-report reproduce-nulls reproduce-bounds ## the whole paper: tables, figures and report

reproduce-table1: $(RUN) ## Table 1: the data sets beside the printed shapes
	$(GroupMap) table1 --out $(RESULTS)/table1

reproduce-table2: $(RUN) ## Table 2: twelve methods, 25 rows, ACC and NMI beside the printed numbers
	$(GroupMap) benchmark --dataset all --variance all --methods all --out $(RESULTS)/table2 $(STORE) $(REPORTED)

# With seven values of lambda UNCA takes longer than all other methods together.
reproduce-as-stated: $(RUN) ## Table 2 as the text describes it: Algorithm 1 with pi and beta moving, lambda of AML and UNCA tuned
	$(GroupMap) benchmark --dataset all --variance all --methods all --protocol as-stated --repeats 3 --out $(RESULTS)/table2-as-stated $(STORE) $(REPORTED)

reproduce-nulls: $(RUN) ## SGP-MIC's printed column against Algorithm 1 (pi and beta moving or fixed) and null models without Gaussian processes
	$(GroupMap) benchmark --dataset all --variance all --methods algorithm-1,algorithm-1-fixed,null-fcm,null-gmm,null-mahalanobis --out $(RESULTS)/table2-nulls $(STORE) $(REPORTED)

reproduce-figure1: $(RUN) ## Figure 1: the graphical model
reproduce-figure2: $(RUN) ## Figure 2: Iris in two dimensions, six methods
reproduce-figure3: $(RUN) ## Figure 3: Wine in two dimensions, six methods
reproduce-figure4: $(RUN) ## Figure 4: spiral and arcs, before and after
reproduce-figure5: $(RUN) ## Figure 5: linear and RBF kernel
reproduce-figure6: $(RUN) ## Figure 6: convergence of loss and ACC
reproduce-figure7: $(RESULTS)/sweep-clusters ## Figure 7: ACC against the number of clusters
reproduce-figure8: $(RESULTS)/sweep-inducing ## Figure 8: ACC, NMI and run time against inducing points
$(FIGURES):
	$(GroupMap) plot $(@:reproduce-%=%) --results $(RESULTS) --out $(RESULTS)/figures

.PHONY: $(RESULTS)/sweep-clusters $(RESULTS)/sweep-inducing
$(RESULTS)/sweep-clusters $(RESULTS)/sweep-inducing: $(RUN)
	$(GroupMap) $(@F) --out $@ $(STORE) $(REPORTED)

reproduce-bounds: $(RUN) ## KL-corrected against standard bound by iterations and by time, and the cost of a gradient by inducing points
	"$(BIN)/python" -m benchmarks.two_bounds --out $(RESULTS)/bounds

reproduce-report: reproduce-table1 reproduce-table2 reproduce-as-stated $(RESULTS)/sweep-clusters $(RESULTS)/sweep-inducing report ## Tables 1 and 2, the sweeps, the figures and the report

report: $(RUN) ## the figures and the report from what is under results/: one page with every number, figure and reason
	$(GroupMap) plot all --results $(RESULTS) --out $(RESULTS)/figures
	$(GroupMap) report --results $(RESULTS) --out $(RESULTS)/report.html

# Scripts for developers, in benchmarks/.
results: $(DEV) ## everything under results/, its manifest and the numbers of the documents
	"$(BIN)/python" -m benchmarks.results
	$(MAKE) numbers

numbers: $(DEV) ## write the numbers of README and documents from the files in results/
	"$(BIN)/python" -m benchmarks.numbers

# TABLES is a folder of labelled tables (NAME.csv, last column: class) or a downloaded benchmark suite.
STUDIED := $(RESULTS)/study$(if $(TABLES),-$(notdir $(TABLES:/=)))
study: $(RUN) $(RIVALS)/.installed ## the default model beside other clusterers; own data: make study TABLES=FOLDER
	"$(BIN)/python" -m benchmarks.study $(if $(TABLES),"$(TABLES)") --out $(STUDIED) --sets-only
	"$(RIVALS)/bin/python" -P benchmarks/rivals.py $(STUDIED)/sets $(STUDIED)/rivals
	"$(BIN)/python" -m benchmarks.study $(if $(TABLES),"$(TABLES)") --out $(STUDIED)

# Genie and Lumbermark have another licence (AGPL) and are needed for comparisons only, so they have their own environment.
$(RIVALS)/.installed:
	$(PYTHON) -m venv "$(RIVALS)"
	"$(RIVALS)/bin/python" -m pip install --quiet --disable-pip-version-check genieclust==1.3.0 lumbermark==0.9.1
	@touch "$@"

missing-study: $(RUN) ## measure the cost of missing values on the bundled data sets
	"$(BIN)/python" -m benchmarks.missing_values --out $(RESULTS)/study/missing

$(STUDY): $(RUN)
	$(INSTALL) --editable ".[study]"
	@touch "$@"

map-study: $(STUDY) ## measure the map and the probabilities beside PCA, ISOMAP, t-SNE, UMAP and mixtures
	"$(BIN)/python" -m benchmarks.map_study --out $(RESULTS)/study

verdicts: $(RUN) ## measure false alarms and power of the verdicts "group" and "slice"
	"$(BIN)/python" -m benchmarks.verdicts --out $(RESULTS)

mixed-tables: $(RUN) ## cluster generated tables of flags, categories and numbers beside k-means of encoded columns
	"$(BIN)/python" -m benchmarks.mixed_tables --out $(RESULTS)

invariance: $(RUN) ## change labelled tables in ways that mean nothing, and compare the clusters: make invariance TABLES=FOLDER
	"$(BIN)/python" -m benchmarks.invariance "$(TABLES)" --out $(RESULTS)

search-settings: $(RUN) ## compare the settings that the paper leaves open with SGP-MIC's column, for the model and the null models
	"$(BIN)/python" -m benchmarks.search_settings

agreement: $(RUN) ## agreement with the paper by counts, distance and order, from the tables under results/
	"$(BIN)/python" -m benchmarks.agreement --results $(RESULTS) --out $(RESULTS)/agreement

# GPy and GPyTorch are needed for the comparison only, so they have their own environment.
$(GPY)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv "$(GPY)"
	"$(GPY)/bin/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . GPy==1.15.0 gpytorch==1.15.2
	@touch "$@"

speed: speed-estimators speed-end-to-end ## all speeds: estimators, and `sgpmic fit FILE`

# The largest file has ten times as many rows: make speed-estimators ROWS=1000000 adds ten million.
ROWS := 100000
speed-estimators: $(GPY)/.installed ## time evaluations and fits beside GPy and GPyTorch, and files of a million rows
	"$(GPY)/bin/python" -m benchmarks.speed --rows $(ROWS) --out $(RESULTS)

speed-end-to-end: $(STUDY) ## time `sgpmic fit FILE` beside scripts with UMAP and HDBSCAN, and with k-means and silhouettes
	"$(BIN)/python" -m benchmarks.end_to_end --out $(RESULTS)

clean: ## remove the environment and caches
	rm -rf "$(VENV)" "$(GPY)" "$(RIVALS)" "$(OLDEST)" "$(CLEAN)" .mypy_cache .ruff_cache .pytest_cache build dist
