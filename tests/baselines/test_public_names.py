"""Every competitor can be imported by name from `sgpmic_cli.baselines`, and importing the folder loads none of them."""

import subprocess
import sys

import pytest

from sgpmic_cli import baselines
from sgpmic_cli.experiments.plan.methods import known

TARGETS = sorted(
    {
        method.target
        for method in known().values()
        if method.target.startswith("sgpmic_cli.baselines.")
    }
)


@pytest.mark.parametrize("target", TARGETS)
def test_a_method_of_the_registry_is_public_under_its_class_name(target):
    module, _, name = target.partition(":")
    assert name in baselines.__all__
    assert name in dir(baselines)
    assert getattr(baselines, name).__module__ == module


def test_there_are_no_public_names_beyond_the_registry():
    assert sorted(baselines.__all__) == sorted(target.partition(":")[2] for target in TARGETS)
    with pytest.raises(ImportError, match="NoSuchMethod"):
        from sgpmic_cli.baselines import NoSuchMethod  # noqa: F401


def test_importing_the_folder_loads_nothing_heavy():
    code = "import sys, sgpmic_cli.baselines; print({'numpy', 'sklearn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
