"""What the report is made from: the files that the benchmark and the figures left in a folder of results."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.compare.paper import table2
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.json_file import read_json
from sgpmic_cli.report.checking import check_cell, expect

COMMAND = "sgpmic benchmark --dataset all --variance all --methods all --out {folder}"
NOT_RUN = "not run"

Place = tuple[str, int, str]  # data set, variance, method


@dataclass(frozen=True)
class Results:
    """Table 2 as it was computed, cell by cell, and where the figures lie."""

    cells: Mapping[Place, dict[str, Any]]  # as in the JSON document of the benchmark
    document: Mapping[str, Any]
    manifest: Mapping[str, Any]
    figures: Path

    @property
    def methods(self) -> list[str]:
        """The paper's methods in its order, then whatever else was run."""
        printed = dict.fromkeys(method for _, _, _, method in table2())
        ordered = [name for name in _titles() if name in printed]
        return list(dict.fromkeys([*ordered, *printed, *(method for _, _, method in self.cells)]))

    @property
    def rows(self) -> list[tuple[str, int]]:
        """Data set and variance: the paper's rows, then whatever else was run."""
        printed = [(name, variance) for name in names() if entry(name).in_paper for variance in entry(name).variances]
        return list(dict.fromkeys([*printed, *((dataset, variance) for dataset, variance, _ in self.cells)]))

    def ours(self, place: Place, metric: str) -> float | None:
        """Our mean of a cell."""
        return self.cells[place][metric]["mean"] if place in self.cells else None

    def paper(self, place: Place, metric: str) -> float | None:
        """The printed mean of a cell."""
        printed = table2().get((metric, *place))
        return None if printed is None else printed.mean

    def verdict(self, place: Place, metric: str) -> str:
        """The verdict on a cell."""
        return self.cells[place]["verdict"][metric] if place in self.cells else NOT_RUN


@cache
def _titles() -> dict[str, str]:
    """Looked up for every cell, while the registry asks all installed packages each time."""
    return {name: method.label for name, method in known().items()}


def title_of(method: str) -> str:
    """How the report calls a method."""
    return _titles().get(method, method)


def dataset_title(name: str) -> str:
    """How the report calls a data set: as the paper does."""
    return name.upper() if name in ("wdbc", "bc", "cmc") else name[:1].upper() + name[1:]


def read_results(folder: Path) -> Results:
    """Read `table2/benchmark.json` and its manifest."""
    table = folder / "table2"
    document = _read(table / "benchmark.json", table)
    manifest = _read(table / "manifest.json", table)
    with _of_this_version(table / "benchmark.json", table):
        for cell in document["cells"]:
            check_cell(cell)
        cells = {(cell["dataset"], cell["variance"], cell["method"]): cell for cell in document["cells"]}
    with _of_this_version(table / "manifest.json", table):
        for part in (manifest.get("versions", {}), manifest.get("data", {})):
            expect(part, dict)
    return Results(cells, document, manifest, folder / "figures")


def _read(path: Path, table: Path) -> dict[str, Any]:
    try:
        content = read_json(path)
    except FileNotFoundError:
        raise UsageError(f"there is no {str(path)!r}: run `{COMMAND.format(folder=table)}` first.") from None
    except OSError as error:
        raise SgpmicError(f"cannot read {str(path)!r}: {error.strerror}.") from None
    except ValueError as error:
        raise SgpmicError(f"{str(path)!r} is damaged ({error}): run the benchmark again.") from None
    with _of_this_version(path, table):
        expect(content, dict)
    return content


@contextmanager
def _of_this_version(path: Path, table: Path) -> Iterator[None]:
    """Turn whatever does not fit into one sentence."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        lacking = f"{error} is missing" if isinstance(error, KeyError) else error
        raise SgpmicError(
            f"{str(path)!r} is no document of this version ({lacking}): run `{COMMAND.format(folder=table)}` again."
        ) from None
