"""Search the settings that the paper leaves open, and compare each with SGP-MIC's printed column.

The search is made for the model as run, for Algorithm 1 and for three null models. Each variation
changes the method in one respect, for all data sets alike. The seeds differ from those of Table 2,
so no run of the table influences the choice. Writes search.csv into OUT/METHOD. A second call
resumes.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.shared import BUNDLED, parse, write_csv
from sgpmic_cli.benchmark.compare import METRICS, compare
from sgpmic_cli.benchmark.plan import Cell
from sgpmic_cli.benchmark.run import RunOptions, run_study
from sgpmic_cli.commands.output import Output, progress_bar
from sgpmic_cli.paper.experiments.protocols import paper_suite, table2

SEED = 3000
Variations = dict[str, dict[str, Any]]
OF_THE_MODEL: Variations = {
    "chosen": {},
    **{
        f"floor {floor:g}": {"covariance_floor": floor}
        for floor in (1e-6, 1e-3, 0.01, 0.03, 0.04, 0.06, 0.08)
    },
    **{f"{n} iterations": {"max_iter": n} for n in (5, 8, 15, 20)},
    "floor 0.03, 20 iterations": {"covariance_floor": 0.03, "max_iter": 20},
    "floor 1e-6, 20 iterations": {"covariance_floor": 1e-6, "max_iter": 20},
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
OF_ALGORITHM_1: Variations = {
    "chosen": {},
    **{f"{n} iterations": {"max_iter": n} for n in (2, 6, 10)},
    **{f"{n} steps": {"optimizer_steps": n} for n in (4, 16)},
    "pi fixed": {"learn_weights": False},
    "beta fixed": {"learn_noise": False},
    "pi and beta fixed": {"learn_weights": False, "learn_noise": False},
    "C started at power 2": {"start_sharpness": 2.0},
    "one factor for Y": {"scale": "global"},
    "parts joined": {"isomap_components": "joined"},
}
OF_FUZZY_C_MEANS: Variations = {
    "chosen": {},
    "parts joined": {"components": "joined"},
    "axes not scaled": {"unit_variance": False},
    "both": {"components": "joined", "unit_variance": False},
}
SWEEPS: Variations = {
    "chosen": {},
    **{f"{n} sweeps": {"sweeps": n} for n in (1, 2, 4, 8, 16, 32)},
}
SEARCHES = {
    "sgp-mic": OF_THE_MODEL,
    "algorithm-1": OF_ALGORITHM_1,
    "null-fcm": OF_FUZZY_C_MEANS,
    "null-gmm": SWEEPS,
    "null-mahalanobis": SWEEPS,
}
COLUMNS = ["variation", "dataset", "variance", "q", "metric", "ours", "paper", "difference"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run or resume the searches and write their tables."""
    place = {"out": Path("results/search"), "store": Path("results/runs")}
    asked = parse(arguments, __doc__, methods=list(SEARCHES), repeats=2, **place)
    with progress_bar(Output()) as watcher:
        options = RunOptions(asked.store, progress=watcher)
        for method in asked.methods:
            (asked.out / method).mkdir(exist_ok=True)
            table = compared(method, options, asked.repeats)
            write_csv(table, asked.out / method / "search.csv", "%.2f")


def compared(method: str, options: RunOptions, repeats: int) -> pd.DataFrame:
    """Run the variations of a method on all rows; return a line for each cell and metric."""
    tried = SEARCHES[method]

    def vary(cell: Cell) -> list[Cell]:
        return [replace(cell, settings={**cell.settings, **new}) for new in tried.values()]

    how: Any = {"repeats": repeats, "seed": SEED, "vary": vary}
    study = paper_suite().study(BUNDLED, [method], ["all"], **how)
    names = list(tried)  # the cells of a row come in the order of the variations
    cells = compare(run_study(study, options).frame, study.methods, table2())
    cells = cells[cells["metric"].isin(METRICS)]
    titles = {"explained_variance": "variance", "mean": "ours", "paper_mean": "paper"}
    variation = [names[number % len(names)] for number in cells["cell"]]
    return cells.assign(variation=variation).rename(columns=titles)[COLUMNS]


if __name__ == "__main__":
    main()
