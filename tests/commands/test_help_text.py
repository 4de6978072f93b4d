import shlex

import pytest
import typer

from sgpmic_cli.commands import app
from sgpmic_cli.commands.terminal.options.help_text import EXAMPLES, flowing

COMMANDS = typer.main.get_command(app).commands


def test_every_command_ends_its_help_with_an_example():
    assert set(EXAMPLES) == set(COMMANDS)
    for name, command in COMMANDS.items():
        assert EXAMPLES[name][0][0] in command.epilog


@pytest.mark.parametrize("line", [line for examples in EXAMPLES.values() for line, _ in examples])
def test_an_example_names_options_that_exist(line):
    _, name, *arguments = shlex.split(line)
    known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert {word for word in arguments if word.startswith("-")} <= known


def test_no_command_writes_into_the_published_results_by_itself():
    for name, command in COMMANDS.items():
        for parameter in command.params:
            if parameter.name == "out":
                assert not str(parameter.default).startswith("results"), name


def test_lines_of_a_docstring_flow_and_paragraphs_stay():
    assert flowing("One.\n\n    Two\n    three.\n    ") == "One.\n\nTwo three."
