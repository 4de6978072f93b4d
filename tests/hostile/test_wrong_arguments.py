"""Wrong arguments are reported in one sentence with the exit code of docs/faq.md."""

import json
import os

import pytest

from sgpmic_cli.experiments.studies.reference import DEFAULT_PATH

LONG = "x" * 300
UPDATE = ["check", "--update", "--methods", "pca-fcm"]
BENCHMARK = ["benchmark", "--methods", "pca-fcm", "--repeats", "1", "--n-jobs", "1"]
IRIS = [*BENCHMARK, "--dataset", "iris"]
SWEEP = ["sweep-inducing", "--dataset", "iris"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["fit"], "no data are named"),
        (["fit", "iris", "wine"], "unexpected extra argument"),
        (["fit", "iris", "--nope"], "No such option"),
        (["fit", "iris", "--clusters"], "requires an argument"),
        (["fit", "iris", "--clusters", "three"], "--clusters"),
        (["fit", "iris", "--clusters", "0"], "--clusters"),
        (["fit", "iris", "--dims", "2", "--variance", "95"], "give one of them"),
        (["fit", "iris", "--variance", "nan"], "--variance"),
        (["fit", "iris", "--variance", "100"], "--variance"),
        (["fit", "iris", "--scale", "\x1b[31m"], "scale"),
        (["fit", "iris", "--seed", str(2**32)], "--seed"),
        (["fit", "nothing-of-this-name"], "nothing-of-this-name"),
        (["fit", "\x1b]0;title\x07.csv"], ".csv"),
        (["fit", f"{LONG}.csv"], "x.csv"),
        (["fit", "\udce9.csv"], "\\xe9.csv"),
        (["fit", "."], "is a folder"),
        (["predict", ".", "iris"], "model.npz"),
        (["predict", "my.csv", "iris"], "my.csv"),
        (["predict", "/dev/zero", "iris"], "not a regular file"),
        (BENCHMARK, "no data are named"),
        ([*BENCHMARK, "iris", "--dataset", "wine"], "the data are named twice, 'iris' and"),
        ([*BENCHMARK, "--dataset", ""], "no data set was named"),
        ([*BENCHMARK, "--dataset", "irs"], "did you mean 'iris'?"),
        ([*IRIS, "--variance", "96"], "valid: 50, 95, 99, all"),
        ([*IRIS, "--methods", "pca"], "did you mean 'pca-fcm'?"),
        ([*IRIS, "--methods", "\x07"], "unknown method"),
        ([*IRIS, "--repeats", "0"], "--repeats"),
        ([*IRIS, "--n-jobs", "1000000"], "--n-jobs 1000000"),
        ([*IRIS, "--timeout", "nan"], "--timeout nan"),
        ([*IRIS, "--memory-limit", "9" * 400], "500MB or 2GB"),
        ([*IRIS, "--protocol", "as-told"], "as-run"),
        ([*IRIS, "--backend", "threads"], "unknown backend"),
        ([*IRIS, "--backend", "dask"], "add --scheduler"),
        ([*BENCHMARK, "--dataset", "my.csv", "--label", "knd"], "did you mean 'kind'?"),
        ([*SWEEP, "--values", "0"], "whole numbers from 1"),
        ([*SWEEP, "--values", ""], "no value to try"),
        ([*SWEEP, "--variance", "90"], "valid: 50, 95, 99"),
        (["sweep-clusters", "--dataset", "iris", "--values", "²"], "whole numbers from 1"),
        (["plot"], "Missing argument"),
        (["plot", "\x1b[2J"], "unknown figure"),
        (["plot", "figure2", "--repeats", "0"], "'--repeats'"),
        (["plot", "embedding"], "this figure"),
        (["plot", "embedding", "--data", "absent.csv"], "absent.csv"),
        (["plot", "figure7"], "sweep-clusters"),
        (["report"], "`sgpmic benchmark --dataset all --variance all --out results/table2`"),
        (["report", "--results", "my.csv"], "there is no benchmark in"),
        (["check", "--repeats", "9999"], "--repeats 9999"),
        (["check", "--dataset", "iris,wien"], "did you mean 'wine'?"),
        (["check", "--methods", "pca-fcm,pppca"], "unknown method 'pppca'"),
        (["check", "--label", "kind"], "--label kind needs --update"),
        (["datasets", "show", "wien"], "did you mean 'wine'?"),
    ],
)
def test_wrong_argument_is_one_sentence(refused, arguments, words):
    refused(arguments, 2, words)


def test_unexpected_error_is_one_sentence(monkeypatch, refused):
    def fail(*_, **__):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("sgpmic_cli.data.load", fail)
    refused(["fit", "iris"], 1, "unexpected ZeroDivisionError: division by zero")


def test_pipe_instead_of_a_model_is_refused(folder, refused):
    os.mkfifo(folder.parent / "model.npz")
    refused(["predict", "../model.npz", "iris"], 2, "not a regular file")


@pytest.mark.parametrize(
    ("arguments", "option", "path"),
    [
        (["fit", "iris"], "--out", "my.csv"),
        (["fit", "iris"], "--out", "/proc/nowhere"),
        (IRIS, "--out", "my.csv/deeper"),
        (SWEEP, "--out", "my.csv/deeper"),
        (["table1"], "--out", "my.csv/deeper"),
        (["plot", "figure1"], "--out", "my.csv/deeper"),
        ([*IRIS, "--out", "out"], "--store", "my.csv"),
        (["check"], "--junit", "my.csv/gate.xml"),
        (["check", "--update"], "--reference", "my.csv/reference.json"),
    ],
)
def test_unwritable_output_is_reported_before_the_work(refused, arguments, option, path):
    refused([*arguments, option, path], 1, f"cannot write into {option}")


def test_a_table_is_not_replaced_by_a_reference(folder, refused):
    (folder / "table.csv").write_text((folder / "my.csv").read_text())
    data = ["--dataset", "table.csv", "--label", "kind", "--reference", "table.csv"]
    refused([*UPDATE, *data], 1, "is not a reference")


@pytest.mark.parametrize("junit", ["./reference.json", "own.csv", "."])
def test_findings_of_the_gate_do_not_replace_its_inputs(folder, refused, junit):
    content = json.loads(DEFAULT_PATH.read_text())
    content["files"] = {"own.csv": {"path": "own.csv", "sha256": "0" * 64}}
    (folder / "reference.json").write_text(json.dumps({**content, "label": "kind"}))
    (folder / "own.csv").write_text((folder / "my.csv").read_text())
    refused(["check", "--reference", "reference.json", "--junit", junit], 2, "name another")


def test_report_does_not_replace_its_inputs(folder, refused):
    (folder / "results" / "table2").mkdir(parents=True)
    (folder / "results" / "table2" / "benchmark.json").write_text("{}")
    refused(["report", "--out", "results/table2/benchmark.json"], 2, "name another")
