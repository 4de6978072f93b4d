# `make help` lists the targets.
VENV    := .venv
BIN     := $(VENV)/bin
PYTHON  ?= python3
RUN     := $(VENV)/.installed
DEV     := $(VENV)/.installed-dev
STUDY   := $(VENV)/.installed-study
RIVALS  := .venv-rivals
OLDEST  := .venv-oldest
CLEAN   := .venv-wheel
RESULTS := results
SGPMIC  := "$(BIN)/sgpmic"
SCRIPT  := "$(BIN)/python" -m benchmarks
STORE   := --store $(RESULTS)/runs
# The tables report failed runs (exit code 3), so the following targets continue.
REPORTED := || test $$? -eq 3
TABLE2  := $(SGPMIC) benchmark --dataset all --variance all $(STORE)
FIGURES := $(addprefix reproduce-figure,1 2 3 4 5 6 7 8)

.DEFAULT_GOAL := help
.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST))) $(FIGURES)

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(firstword $(MAKEFILE_LIST)) | awk -F':.*## ' '{printf "  %-22s %s\n", $$1, $$2}'

# One environment in two stages: first the run-time dependencies, then the development tools.
PIP     := -m pip install --quiet --disable-pip-version-check
INSTALL := "$(BIN)/python" $(PIP) --constraint constraints.txt

$(RUN): pyproject.toml constraints.txt
	$(PYTHON) -m venv "$(VENV)"
	$(INSTALL) --editable .
	@touch "$@"

$(DEV) $(STUDY) $(VENV)/.installed-docs: $(VENV)/.installed-%: $(RUN)
	$(INSTALL) --editable ".[$*]"
	@touch "$@"

quickstart: $(RUN) ## install the run-time dependencies and compare iris with the paper
	$(SGPMIC) benchmark --dataset iris --variance 95

test: $(DEV) ## lint, types and tests, side by side (what CI runs)
	$(MAKE) --jobs=2 lint pytest

test-slow: OPTIONS = -m slow
test-slow: ## the slow tests: real processes, examples, all estimator checks
coverage: OPTIONS = --cov=sgpmic --cov=sgpmic_cli --cov-report=term:skip-covered
coverage: ## run the tests of `make test` and print the line coverage of each module
pytest test-slow coverage: $(DEV)
	"$(BIN)/python" -m pytest -n 2 $(OPTIONS)

lint: $(DEV) ## ruff, mypy and the import contracts
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy"
	"$(BIN)/lint-imports"

kill-test: $(DEV) ## kill -9 at thirty moments of benchmark and fit, and compare
	KILLS=15 "$(BIN)/python" -m pytest -m slow tests/hostile/test_kills.py

check: ## the gate, `sgpmic check`: recompute the fast cells and compare them with the reference
check-slow: ## the same for a random tenth of all cells
check check-slow: $(RUN)
	$(SGPMIC) check $(if $(filter check-slow,$@),--sample 0.1)

docs: $(VENV)/.installed-docs ## run the notebooks, write the reference pages, build the documents into build/docs
	"$(BIN)/python" docs/run_notebooks.py
	"$(BIN)/python" docs/write_command_line.py
	NO_MKDOCS_2_WARNING=1 "$(BIN)/python" -m mkdocs build --strict --quiet
	@echo "build/docs/index.html"

pictures: $(RUN) ## take the screenshots of the documents; needs Chromium
	"$(BIN)/python" docs/pictures/screenshots.py

# The wheel in a new environment, with the newest and with the oldest allowed dependencies.
# `python -P` leaves the current folder out of the search path, so that the wheel is tested and not the checkout.
WHEEL_TEST := -P -m pytest --rootdir=tests/release -c /dev/null --noconftest -q tests/release/installed_wheel.py

dist: $(DEV) ## wheel and sdist into dist/
	rm -rf dist
	"$(BIN)/python" -m build --no-isolation --outdir dist .

wheel-test: dist ## install the wheel in a clean environment and test it there
	$(PYTHON) -m venv --clear "$(CLEAN)"
	"$(CLEAN)/bin/python" $(PIP) dist/*.whl pytest
	"$(CLEAN)/bin/python" $(WHEEL_TEST)

test-oldest: dist ## the same, and the tests of the model, with the oldest dependencies that pyproject.toml allows
	$(PYTHON) -m venv --clear "$(OLDEST)"
	$(PYTHON) tests/release/oldest_versions.py | "$(OLDEST)/bin/python" $(PIP) -r /dev/stdin
	"$(OLDEST)/bin/python" $(PIP) dist/*.whl pytest hypothesis autograd
	"$(OLDEST)/bin/python" -m pip check
	"$(OLDEST)/bin/python" $(WHEEL_TEST)
	"$(OLDEST)/bin/python" -P -m pytest -q -p no:cacheprovider tests/clustering tests/paper/model tests/tables tests/test_gp.py tests/test_scores.py

# The parts of the paper. Every target resumes: finished runs are stored in results/runs.
reproduce: reproduce-table1 reproduce-table2 reproduce-as-stated reproduce-nulls sweep-clusters sweep-inducing report ## the whole paper: tables, figures and report

reproduce-table1: $(RUN) ## Table 1: the data sets beside the printed shapes
	$(SGPMIC) table1 --out $(RESULTS)/table1

reproduce-table2: $(RUN) ## Table 2: twelve methods, 25 rows, ACC and NMI beside the printed numbers
	$(TABLE2) --methods all --out $(RESULTS)/table2 $(REPORTED)

# With seven values of lambda UNCA takes longer than all other methods together.
reproduce-as-stated: $(RUN) ## Table 2 as the text describes it: Algorithm 1 with pi and beta moving, lambda of AML and UNCA tuned
	$(TABLE2) --methods all --protocol as-stated --repeats 3 --out $(RESULTS)/table2-as-stated $(REPORTED)

reproduce-nulls: $(RUN) ## SGP-MIC's printed column against Algorithm 1 (pi and beta moving or fixed), SGP-MIC without experts in the E-step, and null models without Gaussian processes
	$(TABLE2) --methods algorithm-1,algorithm-1-fixed,null-experts,null-fcm,null-gmm,null-mahalanobis --out $(RESULTS)/table2-nulls $(REPORTED)

reproduce-figure7: sweep-clusters
reproduce-figure8: sweep-inducing
$(FIGURES): $(RUN)
	$(SGPMIC) plot $(@:reproduce-%=%) --results $(RESULTS) --out $(RESULTS)/figures

sweep-clusters: ## ACC against the number of clusters, for Figure 7
sweep-inducing: ## ACC, NMI and run time against inducing points, for Figure 8
# The sweep of inducing points shows run times, so it reuses no run of another command.
sweep-clusters: GIVEN = $(STORE)
sweep-clusters sweep-inducing: $(RUN)
	$(SGPMIC) $@ --out $(RESULTS)/$@ $(GIVEN) $(REPORTED)

report: $(RUN) ## the figures and the report from what is under results/: one page with every number, figure and reason
	$(SGPMIC) plot all --results $(RESULTS) --out $(RESULTS)/figures
	$(SGPMIC) report --results $(RESULTS) --out $(RESULTS)/report.html

# Scripts for developers, in benchmarks/.
results: $(DEV) ## everything under results/, its manifest and the numbers of the documents
	$(SCRIPT).results
	$(MAKE) numbers

# TABLES is a folder of labelled tables (NAME.csv, last column: class) or a downloaded benchmark suite.
STUDIED := $(RESULTS)/study$(if $(TABLES),-$(notdir $(TABLES:/=)))
study: $(RIVALS)/.installed ## the default model beside other clusterers, with the number of clusters open and given; own data: make study TABLES=FOLDER
	"$(RIVALS)/bin/python" -m benchmarks.study $(if $(TABLES),"$(TABLES)") --out $(STUDIED)

# Genie and Lumbermark have another licence (AGPL) and are needed for comparisons only, so they have their own environment.
$(RIVALS)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv "$(RIVALS)"
	"$(RIVALS)/bin/python" $(PIP) --constraint constraints.txt --editable . umap-learn==0.5.12 genieclust==1.3.0 lumbermark==0.9.1
	@touch "$@"

missing-values: ## measure the cost of missing values on the bundled data sets
map-study: $(STUDY) ## measure the map and the probabilities beside PCA, ISOMAP, t-SNE, UMAP and mixtures
new-rows: ## measure the probabilities that the paper's model gives to new rows
verdicts: ## measure false alarms and power of the verdict "group", and count the verdicts on bundled tables
invariance: ## change labelled tables in ways that mean nothing, and compare the clusters: make invariance TABLES=FOLDER
search-settings: ## compare the settings that the paper leaves open with SGP-MIC's column, for the model and the null models
agreement: ## agreement with the paper by counts, distance and order, from the tables under results/
numbers: ## write the numbers of README and documents from the files in results/
speed: speed-estimators speed-end-to-end ## time the estimators, and `sgpmic fit FILE`
speed-estimators: GIVEN = $(ROWS:%=--rows %)
speed-estimators: $(STUDY) ## time evaluations and fits beside GPy, and files of a million rows; ROWS=1000000 adds ten million
speed-end-to-end: $(STUDY) ## time `sgpmic fit FILE` beside scripts with UMAP and HDBSCAN, and with k-means and silhouettes
missing-values map-study new-rows verdicts invariance search-settings agreement numbers speed-estimators speed-end-to-end: $(RUN)
	$(SCRIPT).$(subst -,_,$@) $(if $(TABLES),"$(TABLES)") $(GIVEN)

clean: ## remove the environment and caches
	rm -rf .venv* .mypy_cache .ruff_cache .pytest_cache build dist
