import json
import re

import pytest
from command_line import sgpmic

QUICK = "--methods pca-fcm,ppca-fcm --repeats 2 --n-jobs 1"


@pytest.fixture
def run(here):
    return lambda line, **how: sgpmic(f"benchmark {line}", **how)


def test_json_is_one_document(run):
    document = json.loads(run(f"--dataset iris --variance 50,95 {QUICK} --json").stdout)
    assert document["protocol"] == "as-run"
    scores = ["acc", "nmi", "ari", "acc_hungarian"]
    assert [row["metric"] for row in document["numbers"]] == 4 * scores
    facts = {"dataset", "explained_variance", "q", "method", "mean", "std", "note", "verdict"}
    for row in document["numbers"]:
        assert row.keys() >= facts
        assert (row["paper_mean"] is None) == (row["metric"] not in ("acc", "nmi"))
        assert (row["repeats"], row["failed"]) == (2, 0)
        assert row["seconds"] > 0


def test_the_table_is_on_stdout_and_the_rest_on_stderr(run, here):
    result = run(f"--dataset iris {QUICK}")
    assert "88.67±0.00" in result.stdout
    assert "exact: " in result.stdout
    assert "lower: " not in result.stdout  # a verdict by ARI, which the table does not show
    assert "\x1b" not in result.output
    assert re.search(r"\b4 .*computed.*\b0 reused.*sgpmic-out/benchmark", result.stderr)
    written = {path.name for path in (here / "sgpmic-out" / "benchmark").glob("[!.]*")}
    assert written == {"table.csv", "benchmark.json", "manifest.json", "runs"}
    assert run(f"--dataset iris {QUICK} --quiet").stderr == ""


def test_methods_without_printed_numbers_are_compared_by_ari(run):
    methods = "--methods sklearn.cluster:KMeans,toy_methods:Halves --repeats 3 --n-jobs 1"
    result = run(f"--dataset iris {methods}").stdout
    assert re.search(r"iris .* best\b", result)
    assert re.search(r"iris .* lower\b", result)
    assert re.search(r"method +mean ARI +best +tied +lower", result)
    assert not re.search("ACC|NMI|paper|printed", result)


def test_failed_runs_end_with_exit_code_3_after_the_table(run):
    result = run(
        "--dataset iris --methods toy_methods:Broken,pca-fcm --repeats 2 --n-jobs 1", code=3
    )
    assert "88.67±0.00" in result.stdout
    assert "All 2 runs failed: ValueError: no luck." in " ".join(result.stdout.split())
    assert result.stderr.endswith(
        "sgpmic: 2 of 4 runs failed; the notes say why, and --retry-failed runs them again.\n"
    )
