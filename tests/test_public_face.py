"""The public names of `sgpmic_cli` and `sgpmic`."""

import importlib.resources

import pytest

import sgpmic
import sgpmic_cli


@pytest.mark.parametrize("package", [sgpmic, sgpmic_cli])
def test_the_public_names_are_listed_and_exist(package):
    names = ["PaperSGPMIC", "SGPMIC", "__version__", "load"]
    assert sorted(dir(package)) == names
    for name in names:
        assert getattr(package, name) is getattr(sgpmic_cli, name)
    with pytest.raises(AttributeError, match="has no attribute 'SGPMAC'"):
        _ = package.SGPMAC


def test_the_package_is_typed():
    assert importlib.resources.files("sgpmic_cli").joinpath("py.typed").is_file()
