import shlex

import pytest
from command_line import document

from sgpmic_cli.commands.shared_options import split_columns
from sgpmic_cli.text import as_option_value


@pytest.mark.parametrize(
    "command",
    [
        "benchmark --methods pca-fcm",
        "sweep-clusters --values 1 --methods pca-fcm",
        "sweep-inducing --values 5",
    ],
)
def test_experiments_take_the_data_as_argument_or_option(command, here):
    plan = document(f"{command} wine --dry-run")
    assert plan == document(f"{command} --dataset wine --dry-run")
    assert plan["to_run"] > 0


def test_fit_and_predict_take_the_data_as_argument_or_option(here):
    quick = "--clusters 3 --iterations 1"
    bounds = [
        document(f"fit {data} {quick} --out {i}")["lower_bound"]
        for i, data in enumerate(["iris", "--dataset iris"])
    ]
    assert bounds[0] == bounds[1]
    sizes = [document(f"predict 0 {data} --out p --force") for data in ("iris", "--dataset iris")]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("names", "value"),
    [
        (["kind"], "kind"),
        (["home town", "age"], "'home town,age'"),
        (["a,b", 'say "x"'], '\'"a,b","say ""x"""\''),
        (["it's"], "'it'\"'\"'s'"),
    ],
)
def test_a_recommended_option_value_is_quoted_for_shell_and_parser(names, value):
    assert as_option_value(names) == value
    assert split_columns(shlex.split(value)) == tuple(names)
