"""The best of a row and how often each method is it: one rule for all tables, the summary and the report."""

from collections.abc import Iterable, Mapping


def best(means: Iterable[float | None]) -> float | None:
    """The highest number of a row, to two decimals as shown; None where there is nothing to be better than."""
    there = [round(mean, 2) for mean in means if mean is not None]
    return max(there) if len(there) > 1 else None


def count_wins(rows: Iterable[Mapping[str, float | None]]) -> dict[str, int]:
    """In how many rows each method is best; equal numbers all win."""
    counts: dict[str, int] = {}
    for row in rows:
        top = best(row.values())
        for method, mean in row.items():
            counts.setdefault(method, 0)
            counts[method] += top is not None and mean is not None and round(mean, 2) == top
    return counts
