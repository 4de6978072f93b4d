"""Wrong arguments are reported in one sentence with the exit code of docs/faq.md."""

import pytest

HUGE = "9" * 5000
ENDLESS = str(10**12)
BENCHMARK = ["benchmark", "--methods", "pca-fcm", "--repeats", "1", "--n-jobs", "1"]
IRIS = [*BENCHMARK, "--dataset", "iris"]
SWEEP = ["sweep-inducing", "--dataset", "iris"]
FITS = {
    "my.csv --method sgp-mic": "the number of classes in my.csv is unknown",
    "my.csv --label knd": "did you mean 'kind'?",
    "iris --clusters 151": "n_clusters=151 needs at least that many distinct rows",
    f"iris --clusters {HUGE}": "… 999",
    f"iris --dims {HUGE}": "'--dims'",
    "iris --dims auto": "'--dims'",
    "iris --method sgpmic": "Invalid value for '--method': 'sgpmic' is not one of",
    "my.csv --drop ,": "'--drop': no column is named",
    "iris --clusters 2-8 --method sgp-mic": "the paper's model does not choose",
    "iris --clusters 0-3": "--clusters 0-3: give a number such as 3, a range such as 2-8",
    "iris --clusters 8-2": "--clusters 8-2: give a number such as 3, a range such as 2-8",
    "iris --dims 5 --method sgp-mic": "needs at least that many columns",
    "iris --dims 2 --variance 95 --method sgp-mic": "--dims or --variance, not both",
    "iris --kernel ard": "--kernel need --method sgp-mic",
    "iris --max-rows 9 --method sgp-mic": "--max-rows belongs to the default model",
    "iris --threads 0": "'--threads': 0 is not possible",
    "huge.csv --clusters 2 --scale none --method sgp-mic": "'global'",
}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["fit"], "Missing argument 'DATA'"),
        (["fit", "iris", "--nope"], "No such option"),
        (["fit", "iris", "--scale", "\x1b[31m"], "scale"),
        (["fit", "iris", "--seed", str(2**32)], "--seed"),
        (["fit", "nothing-of-this-name"], "nothing-of-this-name"),
        (["fit", "\x1b]0;title\x07.csv"], ".csv"),
        (["fit", "\udce9.csv"], "\\xe9.csv"),
        (["fit", "my seed=2.csv"], "there is no file my seed=2.csv"),
        *((["fit", *line.split()], words) for line, words in FITS.items()),
        (["fit", "my.csv", "--drop", "a\nb"], "put a name with a line break in quotes"),
        (["predict", ".", "iris"], "model.npz"),
        (["predict", "my.csv", "iris"], "my.csv"),
        (BENCHMARK, "Missing option '--dataset'"),
        ([*BENCHMARK, "--dataset", ""], "no data set was named"),
        ([*BENCHMARK, "--dataset", "irs"], "did you mean 'iris'?"),
        ([*IRIS, "--variance", "96"], "valid: 50, 95, 99, all"),
        ([*IRIS, "--repeats", ENDLESS], "'--repeats'"),
        ([*IRIS, "--protocol", "as-told"], "as-run"),
        ([*IRIS, "--backend", "threads"], "'loky', 'dask'"),
        ([*IRIS, "--label", "y"], "no CSV file is among"),
        ([*BENCHMARK, "--dataset", "none-*.csv"], "no file matches 'none-*.csv'"),
        ([*BENCHMARK, "--dataset", "huge.csv"], "--label COLUMN"),
        ([*BENCHMARK, "--dataset", "my.csv,../here/my.csv"], "two data sets are called 'my.csv'"),
        ([*SWEEP, "--values", "0"], "cannot try '0': give positive integers, or N for all rows"),
        (["plot", "\x1b[2J"], "unknown figure"),
        (["plot", "figure7"], "run `sgpmic sweep-clusters --out sgpmic-out/sweep-clusters` first"),
        (["report"], "`sgpmic benchmark --dataset NAMES --out sgpmic-out/benchmark`"),
        (["report", "--results", "my.csv"], "there is no benchmark in"),
        (["check", "--dataset", "irs"], "did you mean 'iris'?"),
    ],
)
def test_wrong_argument_is_one_sentence(folder, refused, arguments, words):
    (folder / "huge.csv").write_text("a,b\n1e40,2e40\n3e40,1e40\n2e40,5e40\n7e40,1e40\n")
    refused(arguments, 2, words)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        (["fit", "iris"], "my.csv"),
        (["fit", "iris"], "/proc/nowhere"),
        (IRIS, "my.csv/deeper"),
        (["table1"], "my.csv/deeper"),
    ],
)
def test_unwritable_output_is_reported_before_the_work(refused, arguments, path):
    refused([*arguments, "--out", path], 1, f"cannot access '{path}'")


@pytest.mark.parametrize("command", [["report"], ["report-clusters", "my.csv", "--label", "kind"]])
def test_pages_replace_pages_only(folder, refused, command):
    (folder / "thesis.html").write_text("<!DOCTYPE html><p>mine</p>")
    (folder / "results").mkdir()
    refused([*command, "--out", "thesis.html"], 2, "'thesis.html' is no page of sgpmic")
    assert "mine" in (folder / "thesis.html").read_text()
