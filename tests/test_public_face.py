"""What `import sgpmic_cli` shows, to people and to type checkers."""

import importlib.resources

import pytest

import sgpmic_cli


def test_dir_shows_the_estimator_and_the_version():
    assert dir(sgpmic_cli) == ["SGPMIC", "__version__"]
    assert sgpmic_cli.SGPMIC.__name__ == "SGPMIC"
    with pytest.raises(AttributeError, match="has no attribute 'SGPMAC'"):
        _ = sgpmic_cli.SGPMAC


def test_types_are_shipped():
    assert importlib.resources.files("sgpmic_cli").joinpath("py.typed").is_file()
