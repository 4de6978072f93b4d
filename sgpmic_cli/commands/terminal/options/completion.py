"""Shell completion of data sets and methods, also inside a comma-separated list. Reads names only, loads nothing."""

from collections.abc import Iterable


def datasets(incomplete: str) -> list[str]:
    """Names of the registry that continue what was typed."""
    from sgpmic_cli.data.registry import names

    return _continue(incomplete, ["all", *names()])


def methods(incomplete: str) -> list[str]:
    """Names of methods that continue what was typed."""
    from sgpmic_cli.experiments.plan.methods import known

    return _continue(incomplete, ["all", "peers", *known()])


def variances(incomplete: str) -> list[str]:
    """The shares of variance."""
    return _continue(incomplete, ["50", "95", "99", "all"])


def _continue(incomplete: str, names: Iterable[str]) -> list[str]:
    before, comma, typed = incomplete.rpartition(",")
    taken = set(before.split(","))
    return [
        f"{before}{comma}{name}" for name in names if name.startswith(typed) and name not in taken
    ]
