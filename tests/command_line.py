"""Call `sgpmic` in this process with a command line as a string, and check its messages."""

import json
import shlex

from typer.testing import CliRunner

from sgpmic_cli.commands import app


def sgpmic(line, *more, code=0, **options):
    """Run a command that ends with this exit code; `more` are further arguments."""
    result = CliRunner().invoke(app, [*shlex.split(line), *map(str, more)], **options)
    assert result.exit_code == code, result.output
    return result


def document(line, *more):
    """Return the JSON document that a command prints."""
    return json.loads(sgpmic(line, *more, "--json").stdout)


def assert_one_sentence(result, words):
    """Check that a failed command printed one sentence on stderr and nothing on stdout."""
    assert isinstance(result.exception, SystemExit), result.exception
    assert words in one_sentence(result.stderr)
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def one_sentence(stderr):
    """Return the error message, which may follow notes and warnings."""
    assert "Traceback" not in stderr
    assert all(each.isprintable() or each == "\n" for each in stderr), stderr
    lines = stderr.splitlines()
    sentences = [line for line in lines if line.startswith("sgpmic: ")]
    assert len(sentences) == 1, stderr
    assert sentences[0] == lines[-1]
    assert sentences[0].endswith(".")
    return sentences[0]
