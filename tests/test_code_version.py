import sys

import pytest

from sgpmic_cli import code_version


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two methods that share one function of a folder with two."""
    root = tmp_path / "toypkg"
    (root / "parts").mkdir(parents=True)
    files = {
        "__init__.py": "",
        "scores.py": "def score(): return 1\n",
        "parts/__init__.py": "from toypkg.parts.left import left\nfrom toypkg.parts.right import right\n",
        "parts/left.py": "from toypkg.deep import constant\ndef left(): return constant\n",
        "parts/right.py": "def right(): return 2\n",
        "deep.py": "constant = 3\n",
        "first.py": '"""Says."""\nfrom toypkg.parts import left\n',
        "second.py": "def late():\n    from toypkg.parts import right\n",
    }
    for name, text in files.items():
        (root / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(code_version, "PACKAGE", "toypkg")
    monkeypatch.setattr(code_version, "SCORES", "toypkg.scores")
    yield root
    _forget()
    for name in [name for name in sys.modules if name.partition(".")[0] == "toypkg"]:
        del sys.modules[name]


def _forget():
    for cached in (
        code_version.code_version,
        code_version._libraries,
        code_version._imports,
        code_version._source,
        code_version._tree,
        code_version._skeleton,
    ):
        cached.cache_clear()


def _versions():
    _forget()
    return {name: code_version.code_version(f"toypkg.{name}") for name in ("first", "second")}


@pytest.mark.parametrize(
    ("file", "text", "moved"),
    [
        ("first.py", "from toypkg.parts import left\nx = 1\n", {"first"}),
        ("deep.py", "constant = 4\n", {"first"}),
        ("parts/right.py", "def right(): return 5\n", {"second"}),
        ("scores.py", "def score(): return 2\n", {"first", "second"}),
        (
            "first.py",
            '"""Says something else."""\n# a remark\nfrom toypkg.parts import left\n',
            set(),
        ),
    ],
)
def test_a_version_moves_with_what_the_method_reaches_and_with_nothing_else(
    package, file, text, moved
):
    before = _versions()
    (package / file).write_text(text)
    after = _versions()
    assert {name for name in before if before[name] != after[name]} == moved


def test_a_version_moves_with_the_libraries(package, monkeypatch):
    before = _versions()
    monkeypatch.setattr(
        code_version, "version", lambda library: "99" if library == "scipy" else "1"
    )
    assert all(_versions()[name] != before[name] for name in before)


def test_the_real_methods_reach_only_what_they_use():
    reached = code_version._reached("sgpmic_cli.baselines.pca_fcm")
    assert reached == {
        "sgpmic_cli.baselines.pca_fcm",
        "sgpmic_cli.baselines._clusterer",
        "sgpmic_cli.estimator_base.clusterer",
        "sgpmic_cli.estimator_base.thread_limits",
        "sgpmic_cli.fcm",
        "sgpmic_cli.embeddings.pca",
    }
    # A saved model tells how its table was read; what comes of the table is known by the hash of the data.
    folders = {name.split(".")[1] for name in code_version._reached("sgpmic_cli.model.estimator")}
    assert folders == {"model", "embeddings", "estimator_base", "fcm", "row_blocks"}


def test_a_module_from_elsewhere_is_its_source(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "elsewhere_method.py"
    module.write_text("x = 1\n")
    _forget()
    before = code_version.code_version("elsewhere_method")
    module.write_text("x = 2\n")
    _forget()
    assert code_version.code_version("elsewhere_method") != before


@pytest.mark.parametrize(
    ("package", "imported"),
    [
        ("toyone", "from toyone.helper import constant"),
        ("toytwo", "from .helper import constant"),
        ("toythree", "from . import helper"),
    ],
)
def test_a_package_from_elsewhere_is_what_its_module_imports_of_it(
    tmp_path, monkeypatch, package, imported
):
    folder = tmp_path / package
    folder.mkdir()
    for name, text in {
        "__init__": "",
        "method": f"{imported}\n",
        "helper": "constant = 1\n",
        "far": "x = 1\n",
    }.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)

    def moved(file):
        _forget()
        before = code_version.code_version(f"{package}.method")
        (folder / file).write_text((folder / file).read_text() + "y = 2\n")
        _forget()
        return code_version.code_version(f"{package}.method") != before

    assert moved("helper.py")
    assert not moved("far.py")
    _forget()


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_packages_of_another_environment_are_installed_and_not_written_here(
    tmp_path, monkeypatch, folder
):
    """An environment may stand on the packages of its system; reading all of theirs would take a minute."""
    name = f"elsewhere_{folder[:4]}"
    (tmp_path / folder).mkdir()
    (tmp_path / folder / f"{name}_library.py").write_text("import json\n")
    (tmp_path / f"{name}.py").write_text(f"import {name}_library\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / folder))
    assert code_version._reached(name) == {name}
