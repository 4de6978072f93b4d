import importlib.resources
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sgpmic
import sgpmic_cli

ROOT = Path(__file__).parents[1]
HEAVY = {"numpy", "scipy", "sklearn", "matplotlib", "pandas", "joblib"}
REVEAL = """
reveal_type(model)
reveal_type(model.labels_)
reveal_type(model.embedding_)
"""

# scikit-learn has no types. Errors inside our package are not the user's, as in an installed one.
SETTINGS = """
[mypy]
[mypy-sklearn.*]
ignore_missing_imports = true
[mypy-sgpmic.*,sgpmic_cli.*]
follow_imports = silent
"""


@pytest.mark.parametrize("package", [sgpmic, sgpmic_cli])
def test_the_public_names_are_listed_and_exist(package):
    names = ["SGPMIC", "RowResults", "GroupMap", "TableEncoder", "__version__", "load"]
    names += ["plot_map", "plot_profiles", "plot_selection", "report", "show_map", "write_report"]
    assert sorted(dir(package)) == sorted(names)
    for name in names:
        assert getattr(package, name) is getattr(sgpmic_cli, name)
    with pytest.raises(AttributeError, match="has no attribute 'SGPMAC'"):
        _ = package.SGPMAC


@pytest.mark.parametrize("package", ["sgpmic", "sgpmic_cli"])
def test_the_package_is_typed(package):
    assert importlib.resources.files(package).joinpath("py.typed").is_file()


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        (
            "from typer.testing import CliRunner; from sgpmic_cli.commands import app\n"
            "assert CliRunner().invoke(app, ['benchmark', '--help']).exit_code == 0",
            HEAVY,
        ),
        ("from sgpmic import GroupMap", {"matplotlib"}),
    ],
)
def test_an_import_loads_only_what_it_needs(statement, absent):
    code = f"{statement}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert absent.isdisjoint(done.stdout.split())


@pytest.mark.slow
def test_mypy_accepts_the_scripts_of_the_documents_and_knows_the_types(tmp_path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    snippet = re.findall(r"```python\n(.*?)```", readme, re.S)[0]
    (tmp_path / "readme.py").write_text(snippet + REVEAL, encoding="utf-8")
    example = (ROOT / "docs/gallery/data_frame.py").read_text(encoding="utf-8")
    (tmp_path / "example.py").write_text(example, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(SETTINGS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "readme.py", "example.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    model, labels, embedding = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert model.endswith(".GroupMap")
    assert "signedinteger" in labels
    assert "float64" in embedding
