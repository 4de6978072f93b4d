import pytest
from typer.main import get_command

from sgpmic_cli.commands import app
from sgpmic_cli.commands.terminal.options.option_names import OTHER_NAMES, SAME_NAMES, in_options


@pytest.mark.parametrize(
    ("library", "terminal"),
    [
        ("n_jobs=0 means no process at all", "--n-jobs 0 means no process at all"),
        ("n_clusters must be a whole number from 1", "--clusters must be a whole number from 1"),
        ("offline=True forbids a download", "--offline forbids a download"),
        ("cannot write into out='a folder': no", "cannot write into --out 'a folder': no"),
        (
            "give methods=pca-fcm,ppca-fcm for example",
            "give --methods pca-fcm,ppca-fcm for example",
        ),
        # The user's own words, and words that are no parameters here.
        ("there is no file 'out=1/label=2.csv'", "there is no file 'out=1/label=2.csv'"),
        ("the data of the store are scaled", "the data of the store are scaled"),
        ("my_out=3, n_jobs_=2", "my_out=3, n_jobs_=2"),
    ],
)
def test_parameters_become_options_and_nothing_else_does(library, terminal):
    assert in_options(library) == terminal


def test_every_option_that_is_named_exists():
    commands = get_command(app).commands.values()
    options = {
        name for command in commands for parameter in command.params for name in parameter.opts
    }
    named = {"--" + name.replace("_", "-") for name in (*OTHER_NAMES.values(), *SAME_NAMES)}
    assert named <= options
