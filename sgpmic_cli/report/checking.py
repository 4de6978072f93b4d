"""Whether a cell of a benchmark's document holds all that the page reads, before the page is begun."""

from typing import Any

from sgpmic_cli.experiments.compare.comparison import METRICS
from sgpmic_cli.experiments.compare.verdicts import LEGEND

NUMBER = (int, float)


def check_cell(cell: dict[str, Any]) -> None:
    """Raise KeyError for what is missing, TypeError or ValueError for what is something else."""
    expect(cell, dict)
    kinds = {"dataset": str, "method": str, "note": str, "variance": int, "repeats": int, "failed": int}
    for name, kind in {**kinds, "settings": dict}.items():
        expect(cell[name], kind)
    for name in ("q", "seconds"):
        expect(cell[name], (*NUMBER, type(None)))
    for name in (*METRICS, "ari", "acc_hungarian"):
        _check_stat(cell[name])
    for metric in METRICS:
        if cell["verdict"][metric] not in list(LEGEND):
            raise ValueError(f"there is no verdict {cell['verdict'][metric]!r}")
    for point in cell.get("grid", []):
        expect(point["settings"], dict)
        for value in point["settings"].values():
            expect(value, NUMBER)
        for metric in METRICS:
            _check_stat(point[metric])


def expect(value: Any, kind: type | tuple[type, ...]) -> None:
    """Raise a TypeError unless `value` is of a kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{str(value)[:40]!r} is out of place")


def _check_stat(stat: dict[str, Any]) -> None:
    """A mean and a standard deviation, or neither."""
    mean, std = stat["mean"], stat["std"]
    if mean is not None or std is not None:
        expect(mean, NUMBER)
        expect(std, NUMBER)
