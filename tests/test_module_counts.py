"""Commands load few modules of this package, and none of a wing that they do not use."""

import subprocess
import sys

import pytest

BENCHMARK = "benchmark iris --methods pca-fcm --repeats 1 --n-jobs 1 --out out"
CHECK = "check iris --methods pca-fcm --repeats 1 --n-jobs 1"
CODE = """
import sys
from sgpmic_cli.commands import app
try:
    app(sys.argv[1:])
finally:
    print(*(name for name in sys.modules if name.startswith("sgpmic_cli")), file=sys.stderr)
"""


def loaded(command, folder):
    """Return the modules of this package that a command loads."""
    process = [sys.executable, "-c", CODE, *command.split(), "--quiet"]
    done = subprocess.run(process, cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(("command", "most"), [(BENCHMARK, 70), (CHECK, 71)])
def test_an_experiment_loads_few_modules_and_none_of_the_default_model(tmp_path, command, most):
    modules = loaded(command, tmp_path)
    assert not {name for name in modules if name.startswith("sgpmic_cli.clustering")}
    assert not {name for name in modules if name.startswith("sgpmic_cli.paper.figures")}
    assert "sgpmic_cli.tables.recipe" not in modules  # registered data are no raw tables
    assert len(modules) <= most
