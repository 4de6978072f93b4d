"""Search the settings that the paper leaves open, and compare SGP-MIC's column with each of them.

Each variation changes the chosen configuration in one respect, for all data sets alike. Variations
are ordered by the number of distinct cells within one point of the printed value minus the number
that differ, then by the mean distance. All variations are run a few times, and the best five are
run again with more repeats. The seeds differ from those of Table 2, so no run of the table
influences the choice. Writes search.csv, search.md and manifest.json into OUT. A second call
resumes.
"""

import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.shared import end_study, print_table, run_options, study_parser
from sgpmic_cli._typing import PathLike
from sgpmic_cli.experiments.compare.comparison import METRICS, Result
from sgpmic_cli.experiments.compare.counts import distinct
from sgpmic_cli.experiments.compare.verdicts import Verdict
from sgpmic_cli.experiments.plan.cells import Cell, Study
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.experiments.plan.third_party import import_class
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, RunOptions, run_study, write_study
from sgpmic_cli.experiments.tables.formats import csv_text, markdown_table

DATASETS = ("iris", "wine", "sonar", "wdbc", "australian", "segment", "bc", "cmc")
KERNEL_ROWS = (("iris", 95), ("wine", 95))  # run with a linear kernel too, as in Figure 5
FINALISTS = 5
SEED = 3000
VARIATIONS: dict[str, dict[str, Any]] = {
    "chosen": {},
    **{
        f"floor {floor:g}": {"covariance_floor": floor}
        for floor in (1e-6, 1e-3, 0.01, 0.03, 0.04, 0.06, 0.08)
    },
    **{f"{rounds} rounds": {"max_iter": rounds} for rounds in (5, 8, 15, 20)},
    "floor 0.03, 20 rounds": {"covariance_floor": 0.03, "max_iter": 20},
    "floor 1e-6, 20 rounds": {"covariance_floor": 1e-6, "max_iter": 20},
    "Y centred": {"center": True},
    "Y raw, kernel as printed": {"scale": "none", "kernel_start": 1.0},
    "kernel at the data's variance": {"kernel_start": 1.0},
    "kernel at 0.3 of it": {"kernel_start": 0.3},
    "columns standardised": {"scale": "standard"},
    **{f"C started at power {power:g}": {"start_sharpness": power} for power in (1.0, 3.0)},
    "C diagonal": {"covariance_type": "diag"},
    "C full": {"covariance_type": "full"},
    "C tied": {"covariance_type": "tied"},
    "weights learned": {"learn_weights": True},
    "noise learned": {"learn_noise": True},
    "2 steps": {"optimizer_steps": 2},
    "5 steps": {"optimizer_steps": 5},
    "SCG, 3 steps": {"optimizer": "scg"},
    "SCG, 8 steps": {"optimizer": "scg", "optimizer_steps": 8},
    "parts joined": {"isomap_components": "joined"},
}


@dataclass(frozen=True)
class Variation:
    """The results of one variation on all rows of the table."""

    name: str
    results: list[Result]
    linear: list[Result]  # with the linear kernel, on KERNEL_ROWS

    @property
    def complete(self) -> bool:
        """Whether every run succeeded. A mean over the remaining rows could look too good."""
        return all(cell.ok and not cell.failed for cell in self.results)

    def counts(self) -> tuple[int, int, float]:
        """Return the cells within one point, the cells that differ, and the mean distance."""
        found = [cell.difference(metric) for cell in distinct(self.results) for metric in METRICS]
        differences = [each for each in found if each is not None]
        verdicts = [each.verdict for each in differences]
        within = sum(each in (Verdict.EXACT, Verdict.NEAR) for each in verdicts)
        differing = sum(each in (Verdict.UP, Verdict.DOWN) for each in verdicts)
        distance = sum(abs(each.value) for each in differences) / max(1, len(differences))
        return within, differing, distance

    def order(self) -> tuple[bool, int, float]:
        """Return the sort key: the best variation first, those with failed runs last."""
        within, differing, distance = self.counts()
        return not self.complete, differing - within, distance

    def row(self) -> list[str]:
        """Return the row of the table for people."""
        within, differing, distance = self.counts()
        counts = (
            [str(within), str(differing), f"{distance:.2f}"] if self.complete else 3 * ["failed"]
        )
        scores = [_shown(cell.mean("acc"), ".1f") for cell in self.results]
        effects = [_shown(effect, "+.1f") for effect in self.kernel_effects()]
        return [self.name, str(self.results[0].repeats), *counts, *effects, *scores]

    def kernel_effects(self) -> list[float | None]:
        """Return ACC with the RBF kernel minus ACC with the linear one, on KERNEL_ROWS."""
        rbf = {(cell.dataset, cell.variance): cell.mean("acc") for cell in self.results}
        pairs = [(rbf[cell.dataset, cell.variance], cell.mean("acc")) for cell in self.linear]
        return [None if a is None or b is None else a - b for a, b in pairs]

    def csv_rows(self) -> Iterator[list[Any]]:
        """Yield one row per cell and metric. The printed numbers are those of the RBF kernel."""
        for cell, metric in itertools.product([*self.results, *self.linear], METRICS):
            difference = cell.difference(metric)
            numbers = (
                cell.mean(metric),
                cell.mean(metric, "paper"),
                difference and difference.value,
            )
            where = (cell.dataset, cell.variance, cell.q, cell.settings.get("kernel", "rbf"))
            shown = ("" if number is None else f"{number:.2f}" for number in numbers)
            yield [self.name, *where, metric, *shown]

    def failures(self) -> Iterator[str]:
        """Yield a sentence for each row with failed runs."""
        for cell in [*self.results, *self.linear]:
            if cell.failed:
                kernel = cell.settings.get("kernel", "rbf")
                yield f"{self.name} on {cell.dataset} {cell.variance}, {kernel} kernel: {cell.note}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run or resume the search and write its tables."""
    parser = study_parser(__doc__, out="results/search-asrun", seed=SEED)
    parser.add_argument("--repeats", type=int, default=2, help="runs of every cell")
    parser.add_argument("--more", type=int, default=5, help="runs of the cells of the finalists")
    asked = parser.parse_args(arguments)
    options = replace(run_options(asked), offline=True)
    tried = variations()
    runs, first = run_variations(tried, options, asked.out, asked.repeats, asked.seed)
    finalists = [one.name for one in sorted(first, key=Variation.order) if one.complete][:FINALISTS]
    more = max(asked.repeats, asked.more)
    _, second = run_variations(
        {name: tried[name] for name in finalists}, options, asked.out, more, asked.seed
    )
    repeated = {one.name: one for one in second}
    search = [repeated.get(one.name, one) for one in first]
    search.sort(key=lambda one: (one.name not in finalists, one.order()))
    further = {"variations": tried, "finalists": finalists, "repeats_of_finalists": more}
    write_study(asked.out, search_files(search), runs, further)
    head, body = search_table(search)
    shown = len(head) - len(search[0].results)  # the columns of single rows do not fit a terminal
    print_table(head[:shown], [row[:shown] for row in body])
    end_study(runs, asked.out)


def variations() -> dict[str, dict[str, Any]]:
    """Return the variations that differ from the chosen configuration, and that configuration."""
    method = known()["sgp-mic"]
    parameters = inspect.signature(import_class(method.target)).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    chosen = {**defaults, **method.settings, **method.as_run}
    return {
        name: settings
        for name, settings in VARIATIONS.items()
        if not settings or any(chosen[key] != value for key, value in settings.items())
    }


def run_variations(
    tried: Mapping[str, dict[str, Any]], options: RunOptions, out: PathLike, repeats: int, seed: int
) -> tuple[FinishedStudy, list[Variation]]:
    """Run some variations on all rows of the table."""

    def vary(cell: Cell) -> list[Cell]:
        settings = [{**cell.settings, **own} for own in tried.values()]
        if (cell.dataset, cell.variance) in KERNEL_ROWS:
            settings += [{**own, "kernel": "linear"} for own in settings]
        return [replace(cell, settings=own) for own in settings]

    study = Study(DATASETS, ["all"], ["sgp-mic"], repeats=repeats, seed=seed, vary=vary)
    runs = run_study(study, options, out)
    linear = [cell for cell in runs.results if cell.settings.get("kernel") == "linear"]
    rbf = [cell for cell in runs.results if cell.settings.get("kernel") != "linear"]
    # The cells of a row come in the order of the variations.
    found = [
        Variation(name, rbf[position :: len(tried)], linear[position :: len(tried)])
        for position, name in enumerate(tried)
    ]
    return runs, found


def _shown(number: float | None, form: str) -> str:
    return "failed" if number is None else format(number, form)


def search_table(search: Sequence[Variation]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table for people."""
    effects = [f"{dataset} RBF - linear" for dataset, _ in KERNEL_ROWS]
    rows = [f"{cell.dataset} {cell.variance}" for cell in search[0].results]
    head = ["variation", "repeats", "within 1", "differ", "mean distance", *effects, *rows]
    return head, [one.row() for one in search]


def search_files(search: Sequence[Variation]) -> dict[str, str]:
    """Return the texts of search.csv and search.md."""
    columns = ("dataset", "variance", "q", "kernel", "metric", "ours", "paper", "difference")
    rows = (row for one in search for row in one.csv_rows())
    notes = "".join(f"- {line}\n" for one in search for line in one.failures())
    return {
        "search.csv": csv_text(["variation", *columns], rows),
        "search.md": markdown_table(*search_table(search)) + (f"\n{notes}" if notes else ""),
    }


if __name__ == "__main__":
    main()
