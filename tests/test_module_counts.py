"""Commands load few modules of this package, and none of a wing that they do not use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FIT = "fit t.csv --clusters 2 --iterations 1 --resamples 0"
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


@pytest.mark.parametrize(
    ("command", "most", "other_wings"),
    [
        (FIT, 78, {"benchmark"}),
        (BENCHMARK, 50, {"clustering", "tables"}),
        (CHECK, 50, {"clustering", "tables"}),
    ],
)
def test_a_command_loads_few_modules_and_none_of_other_wings(tmp_path, command, most, other_wings):
    rows = (f"{i % 7 + 8 * (i % 2)},{i % 5 + 9 * (i % 2)},{'xy'[i % 3 > 0]}" for i in range(40))
    (tmp_path / "t.csv").write_text("a,b,kind\n" + "\n".join(rows) + "\n")
    process = [sys.executable, "-c", CODE, *command.split(), "--quiet"]
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(
        process, cwd=tmp_path, capture_output=True, text=True, check=True, env=here
    )
    modules = set(done.stderr.splitlines()[-1].split())
    wings = {name.split(".")[1] for name in modules if "." in name}
    assert wings.isdisjoint(other_wings - {"tables"})
    if "tables" in other_wings:  # registered data are no raw tables
        assert "sgpmic_cli.tables.recipe" not in modules
    assert len(modules) <= most
