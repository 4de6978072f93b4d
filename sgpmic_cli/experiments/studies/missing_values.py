"""What missing values cost: entries hidden from the bundled sets, filled in by the model and by others.

The number of clusters is told; the same entries are hidden for every way of filling them in.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.plan.cells import Cell
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, run_study, write_study
from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.experiments.tables.formats import csv_text, markdown_table
from sgpmic_cli.peers.hidden_entries import SHARE, WAYS

TABLES = tuple(name for name in names() if entry(name).kind == "bundled")
FILES = ("missing.csv", "missing.md")
_METHOD = Method(
    "sgp-mic+ with holes",
    "sgpmic_cli.peers.hidden_entries:HiddenEntriesSGPMIC",
    drops_columns=False,
    cost=2.0,
    in_paper=False,
)


@dataclass(frozen=True)
class MissingValues:
    """The finished study."""

    runs: FinishedStudy

    def rows(self) -> Iterator[tuple[str, str, int, float | None]]:
        """Data set, way, pattern of holes, and ACC in percent."""
        for outcome in self.runs.outcomes:
            settings = outcome.cell.settings
            yield (
                outcome.cell.dataset,
                settings["way"],
                settings["pattern"],
                outcome.stats["acc"].mean,
            )

    def means(self) -> dict[str, dict[str, float]]:
        """Mean ACC over the patterns by data set and way; sets of which a run failed are left out."""
        found: dict[str, dict[str, list[float | None]]] = {}
        for dataset, way, _, acc in self.rows():
            found.setdefault(dataset, {}).setdefault(way, []).append(acc)
        return {
            dataset: {
                way: float(np.mean([acc for acc in accs if acc is not None]))
                for way, accs in ways.items()
            }
            for dataset, ways in found.items()
            if not any(acc is None for accs in ways.values() for acc in accs)
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Heading and rows for people, the mean over the sets last."""
        means = self.means()
        body = [[dataset, *(f"{ways[way]:.1f}" for way in WAYS)] for dataset, ways in means.items()]
        if means:
            body.append(
                [
                    "mean",
                    *(f"{np.mean([ways[way] for ways in means.values()]):.1f}" for way in WAYS),
                ]
            )
        return ["ACC", *WAYS], body

    def findings(self) -> str:
        """What the numbers say, in sentences."""
        means = list(self.means().values())
        if not means:
            return "No data set has all its runs."
        loss = np.mean([ways["full"] - ways["model"] for ways in means])
        ahead = {
            way: sum(ways["model"] > ways[way] for ways in means) for way in ("median", "iterative")
        }
        patterns = len({pattern for _, _, pattern, _ in self.rows()})
        return (
            f"{SHARE:.0%} of the entries hidden at random, patterns for each set: {patterns}, number of clusters told. "
            f"Holes left to the model cost {loss:.1f} points of ACC in the mean; that is ahead of filling in medians "
            f"on {ahead['median']} of {len(means)} sets, and of scikit-learn's IterativeImputer on "
            f"{ahead['iterative']}."
        )

    def document(self) -> dict[str, Any]:
        """The one JSON document of the command."""
        return {"acc": self.means(), "findings": self.findings()}

    def files(self) -> dict[str, str]:
        """Every run as CSV, and the table for people."""
        heading = ["dataset", "way", "pattern", "acc"]
        rows = ([*place, "" if acc is None else f"{acc:.4f}"] for *place, acc in self.rows())
        return {
            "missing.csv": csv_text(heading, rows),
            "missing.md": f"{markdown_table(*self.table())}\n{self.findings()}\n",
        }


def missing_study(patterns: int, seed: int) -> Study:
    """What is run: `patterns` ways to lose entries, each filled in by everybody."""

    def vary(cell: Cell) -> list[Cell]:
        return [
            replace(cell, method=_METHOD, settings={"way": way, "pattern": pattern})
            for way in WAYS
            for pattern in range(patterns)
        ]

    return Study(TABLES, [95], ["sgp-mic+"], repeats=1, seed=seed, vary=vary)


def missing_values(
    study: Study, options: RunOptions = RunOptions(), *, out: PathLike
) -> MissingValues:
    """Run or resume the study and write its tables and manifest into `out`."""
    finished = MissingValues(run_study(study, options, out, FILES))
    write_study(Path(out), finished.files(), finished.runs)
    return finished
