import json

import pytest
from command_line import assert_one_sentence, sgpmic

from sgpmic_cli.commands.shared_options import split_columns
from sgpmic_cli.safe_text import as_option_value


def run(line, *more):
    result = sgpmic(line, *more)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    "command",
    [
        "benchmark --methods pca-fcm",
        "sweep-clusters --values 1 --methods pca-fcm",
        "sweep-inducing --values 5",
    ],
)
def test_experiments_take_the_data_as_argument_or_option(command, here):
    plan = run(f"{command} wine --dry-run --json")
    assert plan == run(f"{command} --dataset wine --dry-run --json")
    assert {cell["dataset"] for cell in plan["cells"]} == {"wine"}


def test_fit_and_predict_take_the_data_as_argument_or_option(here):
    quick = "--clusters 3 --iterations 1 --json"
    bounds = [
        run(f"fit {data} {quick} --out {i}")["lower_bound"]
        for i, data in enumerate(["iris", "--dataset iris"])
    ]
    assert bounds[0] == bounds[1]
    sizes = [run(f"predict 0 {data} --json --out p --force") for data in ("iris", "--dataset iris")]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("name", ["my seed=2.csv", "out=1/label=2.csv", "n_jobs must.csv"])
def test_messages_repeat_file_names_unchanged(here, name):
    assert_one_sentence(sgpmic("fit", name), 2, f"there is no file {name}")


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
    import shlex

    assert as_option_value(names) == value
    assert split_columns(shlex.split(value)) == tuple(names)


@pytest.mark.parametrize("command", ["fit iris", "benchmark iris", "predict model.npz iris"])
def test_zero_jobs_are_refused(here, command):
    assert_one_sentence(sgpmic(f"{command} --n-jobs 0"), 2, "'--n-jobs': 0 is not possible")
