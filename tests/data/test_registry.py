import pytest

from sgpmic_cli.data import entry, names
from sgpmic_cli.data.generated import GENERATORS
from sgpmic_cli.data.registered import PARSERS
from sgpmic_cli.data.registry import bundled_folder


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
