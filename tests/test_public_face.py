import subprocess
import sys

import pytest

import sgpmic
import sgpmic_cli

HEAVY = {"numpy", "scipy", "sklearn", "matplotlib", "pandas", "joblib"}


@pytest.mark.parametrize("package", [sgpmic, sgpmic_cli])
def test_the_public_names_are_listed_and_exist(package):
    names = ["SGPMIC", "RowResults", "GroupMap", "TableEncoder", "__version__", "load"]
    names += ["plot_map", "plot_profiles", "plot_selection", "report", "show_map", "write_report"]
    assert sorted(dir(package)) == sorted(names)
    for name in names:
        assert getattr(package, name) is getattr(sgpmic_cli, name)
    with pytest.raises(AttributeError, match="has no attribute 'SGPMAC'"):
        _ = package.SGPMAC


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
