import pytest

from sgpmic_cli.data import entry, names
from sgpmic_cli.data.generated import GENERATORS
from sgpmic_cli.data.originals import PARSERS
from sgpmic_cli.data.registry import bundled_folder

# Table 1 of the paper: instances x attributes x classes.
TABLE_1 = {
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
    "sonar": (208, 60, 2),
    "wdbc": (569, 30, 2),
    "australian": (690, 14, 2),
    "segment": (2310, 19, 7),
    "bc": (683, 9, 2),
    "cmc": (1473, 9, 3),
    "yale": (165, 1024, 15),
}


def test_sets_of_the_paper_come_first_with_its_shapes():
    in_paper = {name: entry(name) for name in names() if entry(name).in_paper}
    assert {name: (e.n, e.p, e.n_classes) for name, e in in_paper.items()} == TABLE_1
    assert names()[: len(TABLE_1)] == list(TABLE_1)


@pytest.mark.parametrize("name", names())
def test_every_entry_is_complete(name):
    found = entry(name)
    assert found.title
    assert found.licence
    assert found.attribution
    assert len(found.values_sha256) == 64
    if found.kind == "generated":
        assert name in GENERATORS
        assert found.seed is not None
    elif found.kind == "installed":
        assert name == "digits"
    else:
        assert found.parser in PARSERS
        assert len(found.sha256) == 64
        assert found.size > 0
        assert all(url.endswith("/" + found.filename) for url in found.urls)
        assert found.urls
    assert (bundled_folder() / f"{name}.csv").is_file() == (found.kind == "bundled")
