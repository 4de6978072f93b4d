import shlex

import pytest

from sgpmic_cli.commands.shared_options import dask_address, split_columns
from sgpmic_cli.text import as_option_value


@pytest.mark.parametrize(
    ("names", "value"),
    [
        (["kind"], "kind"),
        (["home town", "age"], "'home town,age'"),
        (["a,b", 'say "x"'], '\'"a,b","say ""x"""\''),
        (["it's"], "'it'\"'\"'s'"),
    ],
)
def test_a_recommended_option_value_is_quoted_for_shell_and_parser(names, value):
    assert as_option_value(names) == value
    assert split_columns(shlex.split(value)) == tuple(names)


def test_dask_starts_its_scheduler_here_unless_an_address_is_given():
    assert dask_address("loky", None) is None
    assert dask_address("dask", None) == "local"
    assert dask_address("dask", "tcp://host:8786") == "tcp://host:8786"
