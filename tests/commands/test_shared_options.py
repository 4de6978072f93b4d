import shlex

import pytest

from sgpmic_cli.commands.shared_options import split_columns
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
