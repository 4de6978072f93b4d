"""A data set is named alone or with --dataset, whichever comes to mind."""

import json

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app


def run(*arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("benchmark", "--methods", "pca-fcm"),
        ("sweep-clusters", "--values", "1"),
        ("sweep-inducing", "--values", "5"),
    ],
    ids=lambda command: command[0],
)
def test_plans_are_the_same_either_way(command, tmp_path):
    further = ["--dry-run", "--json", "--out", str(tmp_path / "out")]
    alone = json.loads(run(*command, "wine", *further))
    assert alone == json.loads(run(*command, "--dataset", "wine", *further))
    assert {cell["dataset"] for cell in alone["cells"]} == {"wine"}


@pytest.mark.slow
def test_fit_and_predict_take_both(tmp_path):
    quick = ("--clusters", "3", "--iterations", "1", "--json")
    told = [
        json.loads(run("fit", *named, *quick, "--out", str(tmp_path / f"{i}")))["lower_bound"]
        for i, named in enumerate([("iris",), ("--dataset", "iris")])
    ]
    assert told[0] == told[1]
    sizes = [
        json.loads(
            run("predict", str(tmp_path / "0"), *named, "--json", "--out", str(tmp_path / "p"))
        )["sizes"]
        for named in (("iris",), ("--dataset", "iris"))
    ]
    assert sizes[0] == sizes[1]
