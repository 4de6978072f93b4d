"""Call `sgpmic` in this process with a command line as a string."""

import shlex

from typer.testing import CliRunner

from sgpmic_cli.commands import app


def sgpmic(line, *more, **options):
    """Run a command; `more` are further arguments."""
    return CliRunner().invoke(app, [*shlex.split(line), *map(str, more)], **options)


def assert_one_sentence(result, exit_code, sentence):
    """Check that a failed command printed one line on stderr and nothing on stdout."""
    assert result.exit_code == exit_code, result.output
    assert result.stderr.startswith("sgpmic: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
