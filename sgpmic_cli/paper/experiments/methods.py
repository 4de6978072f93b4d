"""The methods of the paper's experiments, which `methods.toml` lists.

Shell completion needs their names, so this module imports neither NumPy nor pandas.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sgpmic_cli.benchmark.methods import Method, Methods, read_methods

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class PaperMethod(Method):
    """A method of methods.toml."""

    # The paper ran it without the columns in `as_run_drop` of the data set.
    drops_columns: bool = False
    # Settings that reproduce the printed numbers: on registered data, under `as-run`.
    as_run: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Scores of columns that the paper scored differently: on registered data, under `as-run`.
    as_run_scores: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Settings under the protocol `as-stated`.
    as_stated: Mapping[str, Any] = field(default_factory=dict, hash=False)
    # Values that `as-stated` tries of a setting, to show the best mean of each row.
    as_stated_tuned: Mapping[str, Sequence[Any]] = field(default_factory=dict, hash=False)


@cache
def paper_methods() -> Methods:
    """Return the methods of the paper and the peers."""
    methods = read_methods(FOLDER / "methods.toml", PaperMethod)
    stated = methods["sgp-mic"]
    assert isinstance(stated, PaperMethod)
    # The algorithm of the text, on the columns and with the scores behind the printed numbers.
    for name in ("algorithm-1", "algorithm-1-fixed"):
        settings = {**stated.as_stated, **methods[name].settings}
        methods[name] = replace(methods[name], settings=settings)
    return methods | read_methods(files("sgpmic_cli.benchmark") / "peers.toml")
