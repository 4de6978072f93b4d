from dataclasses import asdict

import pytest

from sgpmic_cli.commands.fit_models import fit_command, with_options
from sgpmic_cli.tables.options import TableOptions, TextFormat


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("n_clusters=5 needs rows", "--clusters 5 needs rows"),
        ("n_components=3, max_iter=2", "--dims 3, --iterations 2"),
        ("more than max_rows=10", "more than max_rows=10"),  # not an option
    ],
)
def test_messages_name_options(message, words):
    assert with_options(message) == words


def test_the_command_repeats_what_was_given():
    table = TableOptions(
        label="kind of x",
        drop=("a,b", "c"),
        format=TextFormat(separator="tab", decimal=","),
    )
    arguments = {
        "dataset": "my file.csv",
        "table": asdict(table),
        "clusters": (2, 8),
        "max_iter": 3,
        "scale": None,
        "method": "group-map",
        "seed": 0,
    }
    options = "--label 'kind of x' --drop '\"a,b\",c' --separator tab --decimal , "
    start = f"sgpmic fit 'my file.csv' {options}"
    assert fit_command(arguments) == f"{start}--clusters 2-8 --iterations 3"
    changed = fit_command(arguments, clusters=4, out="x-4")
    assert changed == f"{start}--clusters 4 --iterations 3 --out x-4"
    assert fit_command({"dataset": "-"}, clusters=None) == "sgpmic fit -"
    of_paper = {"dataset": "-", "method": "sgp-mic"}
    assert fit_command(of_paper) == "sgpmic fit - --method sgp-mic"


def test_columns_to_drop_are_added_to_those_of_the_command():
    arguments = {"dataset": "t.csv", "table": {"drop": ("old",)}}
    assert fit_command(arguments, drop=("home town",)) == (
        "sgpmic fit t.csv --drop 'old,home town'"
    )
