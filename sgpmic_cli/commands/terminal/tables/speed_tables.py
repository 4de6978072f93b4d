"""What `sgpmic speed` measured, as tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

LIBRARIES = ("ours", "gpy", "gpytorch")
EVALUATIONS = (
    "one",
    "all",
    "E-step",
    "gpy",
    "one / gpy",
    "all / gpy",
    "one / floor",
    "all / floor",
    "E-step / all",
)
DEFAULT = ("default", "default E-step", "default E-step / default")
FILES = {
    "fit_seconds": "fit: s",
    "fit_gb": "fit: GB",
    "predict_seconds": "predict: s",
    "predict_gb": "predict: GB",
}


def speed_tables(document: Mapping[str, Any]) -> "list[Table]":
    """All tables of a processor, in the order in which they were measured."""
    growth, by_inducing, table2 = (
        document["growth"]["rows"],
        document["inducing"]["rows"],
        document["table2"],
    )
    return [
        _table(
            "milliseconds per evaluation, and ratios",
            ("size", "N, P, Q, K, M", *EVALUATIONS),
            _sizes(document, EVALUATIONS),
        ),
        _table(
            "the same of the default setting",
            ("size", "N, P, Q, M", *DEFAULT),
            _sizes(document, DEFAULT, "NPQM"),
        ),
        _table(
            "growth with the rows",
            ("rows", "ms", "ms per 1000 rows"),
            ((row["n"], f"{row['ms']:.1f}", f"{1e3 * row['ms'] / row['n']:.2f}") for row in growth),
        ),
        _table(
            "growth with the inducing inputs",
            ("inducing inputs", "ms"),
            ((row["k"], f"{row['ms']:.1f}") for row in by_inducing),
        ),
        _table(
            "threads",
            ("setting", "work", "rows", "1: ms", "2: ms", "2 / 1", "equal"),
            _threads(document),
        ),
        _table(
            "whole fits of one component, ms",
            ("size", "steps", *LIBRARIES, *(f"evaluations, {name}" for name in LIBRARIES)),
            _whole_fits(document),
        ),
        _table("files read in blocks", ("rows", *FILES.values()), _files(document)),
        _table(
            "one run of each method, {dataset} at {variance} %".format(**table2),
            ("method", "seconds", "share"),
            (
                (name, f"{s:.2f}", f"{100 * table2['shares'][name]:.0f} %")
                for name, s in table2["seconds"].items()
            ),
        ),
        promises(document),
    ]


def promises(document: Mapping[str, Any]) -> "Table":
    """Which promises are kept."""
    rows = (
        (
            one["promise"],
            f"{one['measured']:.3g}",
            f"{one['limit']:g}",
            "kept" if one["kept"] else "broken",
        )
        for one in document["verdicts"]
    )
    return _table("promises", ("promise", "measured", "at most", ""), rows)


def _sizes(
    document: Mapping[str, Any], names: Sequence[str], letters: str = "NPQKM"
) -> Iterable[Sequence[object]]:
    for size in document["sizes"]:
        numbers = {**size["ms"], **size["ratios"]}
        shape = ", ".join(str(size[letter]) for letter in letters)
        yield (
            size["name"],
            shape,
            *(f"{numbers[name]:.2f}" if name in numbers else "–" for name in names),
        )


def _threads(document: Mapping[str, Any]) -> Iterable[Sequence[object]]:
    for row in document["threads"]:
        times = f"{row['ms']['1']:.1f}", f"{row['ms']['2']:.1f}", f"{row['ratio']:.2f}"
        yield row["setting"], row["work"], row["n"], *times, "yes" if row["equal"] else "no"


def _whole_fits(document: Mapping[str, Any]) -> Iterable[Sequence[object]]:
    for fit in document["whole_fits"]:
        times = (f"{fit['ms'][name]:.0f}" if name in fit["ms"] else "–" for name in LIBRARIES)
        yield (
            fit["name"],
            fit["steps"],
            *times,
            *(fit["evaluations"].get(name, "–") for name in LIBRARIES),
        )


def _files(document: Mapping[str, Any]) -> Iterable[Sequence[object]]:
    for row in document["streamed"]:
        yield row["n"], *(f"{row[name]:.{2 if name.endswith('gb') else 0}f}" for name in FILES)


_WORDS = (
    "size",
    "method",
    "setting",
    "work",
    "equal",
    "promise",
    "",
)  # columns of words stand to the left


def _table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in _WORDS else "right")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    return table
