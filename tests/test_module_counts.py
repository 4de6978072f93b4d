"""How many modules of the package the commands load."""

import os
import subprocess
import sys
from pathlib import Path

FIT = """
from typer.testing import CliRunner
from sgpmic_cli.commands import app
line = "fit t.csv --clusters 2 --iterations 1 --resamples 0"
result = CliRunner().invoke(app, line.split())
assert result.exit_code == 0, result.output
"""
PRINT = "import sys; print(*(name for name in sys.modules if name.split('.')[0] == 'sgpmic_cli'))"
MOST_OF_FIT = 80


def modules_after(code, folder):
    """Return the modules of the package that a process has loaded after running the code."""
    command = [sys.executable, "-c", code + PRINT]
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=here)
    return done.stdout.split()


def test_a_fit_of_a_csv_file_loads_neither_paper_nor_benchmark_and_few_modules(tmp_path):
    rows = (f"{i % 7 + 8 * (i % 2)},{i % 5 + 9 * (i % 2)},{'xy'[i % 3 > 0]}" for i in range(40))
    (tmp_path / "t.csv").write_text("a,b,kind\n" + "\n".join(rows) + "\n")
    loaded = modules_after(FIT, tmp_path)
    wings = {name.split(".")[1] for name in loaded if "." in name}
    assert wings.isdisjoint({"paper", "benchmark"})
    assert len(loaded) <= MOST_OF_FIT
