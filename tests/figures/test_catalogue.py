import pytest

from sgpmic_cli.errors import UsageError
from sgpmic_cli.figures.catalogue import known, resolve


def test_all_are_those_that_need_no_data_named():
    names = [figure.name for figure in resolve(["all"])]
    assert names == [*(f"figure{i}" for i in range(1, 9)), "critical-difference"]


def test_every_figure_can_be_loaded():
    for figure in known().values():
        assert callable(figure.load())


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(UsageError, match=r"unknown figure 'figur2' \(did you mean 'figure2'\?\)"):
        resolve(["figure1", "figur2"])
