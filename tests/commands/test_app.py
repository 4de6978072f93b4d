import shlex

import pytest
import typer
from command_line import assert_one_sentence, document, sgpmic

from sgpmic_cli import __version__
from sgpmic_cli.commands import app, experiments

COMMANDS = typer.main.get_command(app).commands


def test_version():
    assert sgpmic("--version").stdout == f"sgpmic {__version__}\n"


@pytest.mark.parametrize("group", ["", "datasets"])
def test_a_group_without_a_subcommand_prints_its_help(group):
    result = sgpmic(group)
    assert result.stderr == ""
    assert result.stdout == sgpmic(f"{group} --help").stdout
    assert "Usage: " in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_names_existing_options(name):
    _, command, *arguments = shlex.split(COMMANDS[name].epilog.partition("`")[2].strip("`"))
    assert command == name
    known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert {word for word in arguments if word.startswith("-")} <= known


@pytest.mark.parametrize(
    ("raised", "sentence"),
    [
        (MemoryError("for 3 GB"), "sgpmic: not enough memory (for 3 GB): end other programs"),
        (PermissionError(13, "Permission denied", "/x/y"), "cannot access '/x/y': Permission"),
        (OSError(28, "No space left on device"), "cannot write: No space left on device."),
    ],
)
def test_system_errors_are_one_sentence(monkeypatch, raised, sentence):
    def fail(*arguments, **options):
        raise raised

    monkeypatch.setattr(experiments.shared, "split_list", fail)
    assert_one_sentence(sgpmic("benchmark --dataset iris", code=1), sentence)


def test_an_unexpected_exception_is_our_bug_with_a_traceback_in_a_file(tmp_path, monkeypatch):
    def fail(*arguments, **options):
        raise ValueError("Found array with 0 feature(s)")  # the words of a library

    monkeypatch.setattr(experiments.shared, "split_list", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = sgpmic("benchmark --dataset iris", code=1)
    (file,) = tmp_path.glob("sgpmic-error-*.txt")
    sentence = "unexpected ValueError: Found array with 0 feature(s); this is a bug in sgpmic"
    assert_one_sentence(result, f"{sentence}: please report it with the file {file}.")
    assert "Traceback" in file.read_text()
    assert "'--dataset', 'iris'" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_info_names_versions_and_paths():
    content = document("info")
    assert content["versions"].keys() >= {"sgpmic", "python", "numpy"}
    assert content["paths"].keys() >= {"package", "bundled data", "downloaded data"}
    assert content["blas"]
    assert "numpy: " in sgpmic("info").stdout
