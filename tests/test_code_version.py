"""The version of a method's code changes with its sources and libraries only."""

import os
import subprocess
import sys

import pytest

from sgpmic_cli import code_version
from sgpmic_cli.code_version import IGNORED, ROOT, package_sources

FILES = {
    "scores.py": "def score(): return 1\n",
    "shared/__init__.py": "from sgpmic_cli.shared.left import left\n",
    "shared/left.py": "from sgpmic_cli.deep import (\n    constant,\n)\n",
    "shared/right.py": "value = 2\n",
    "deep.py": "constant = 3\n",
    "files.py": "unused = 1\n",
    "first.py": "from sgpmic_cli.shared import left\nfrom sgpmic_cli.files import unused\n",
    "second.py": "def late():\n    from sgpmic_cli.shared import right  # when it is needed\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Replace the sources of the package by a few toy modules."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(code_version, "ROOT", tmp_path)
    yield tmp_path
    code_version.code_version.cache_clear()


def version(module):
    code_version.code_version.cache_clear()
    return code_version.code_version(module)


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("first.py", {"first"}),
        ("deep.py", {"first", "second"}),
        ("shared/right.py", {"second"}),
        ("scores.py", {"first", "second"}),
        ("files.py", set()),
    ],
)
def test_a_version_changes_with_the_files_that_the_method_imports(package, file, changed):
    names = {name: f"sgpmic_cli.{name}" for name in ("first", "second")}
    before = {name: version(module) for name, module in names.items()}
    (package / file).write_text(FILES[file] + "x = 1\n")
    assert {name for name in names if version(names[name]) != before[name]} == changed


@pytest.mark.parametrize("module", ["sgpmic_cli.first", "sklearn.cluster"])
def test_a_version_changes_with_the_libraries(package, monkeypatch, module):
    before, real = version(module), code_version.version
    library = "scipy" if module.startswith("sgpmic") else "scikit-learn"
    monkeypatch.setattr(
        code_version, "version", lambda name: "99" if name == library else real(name)
    )
    assert version(module) != before
    assert code_version._third_party("sklearn.cluster")[0] == set()


def test_the_sources_contain_all_modules_that_python_loads():
    module = "sgpmic_cli.paper.methods.gplvm_fcm"
    code = f"import {module}, sys; print(*[m for m in sys.modules if m.startswith('sgpmic_cli.')])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    loaded = {name for name in done.stdout.split() if name.split(".")[1] not in IGNORED}
    found = {code_version._source(name) for name in loaded}
    empty = {path for path in found if path.name == "__init__.py"}
    assert found - empty <= package_sources(module)


@pytest.mark.parametrize(
    ("module", "file", "changes"),
    [
        ("own_method", "own_method.py", True),
        ("own_method", "own_helper.py", True),
        ("own_method", "own_package/part.py", False),
        ("own_package.part", "own_package/other.py", True),
        ("own_package.part", "own_helper.py", False),
    ],
)
def test_third_party_code_is_its_package_or_the_files_beside_it(
    tmp_path, monkeypatch, module, file, changes
):
    (tmp_path / "own_package").mkdir()
    for name in ("own_method", "own_helper", "own_package/part", "own_package/other"):
        (tmp_path / f"{name}.py").write_text("value = 1\n")
    (tmp_path / "own_package" / "__init__.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = version(module)
    (tmp_path / file).write_text("value = 2\n")
    assert (version(module) != before) == changes
    assert "own_package" not in sys.modules
