"""Search the settings that the paper leaves open, and compare each with SGP-MIC's printed column.

The search is made for the model as run, for Algorithm 1 and for three null models. Each variation
changes the method in one respect, for all data sets alike. Variations are ordered by the number of
distinct cells within one point of the printed value minus the number that differ, then by the mean
distance. The seeds differ from those of Table 2, so no run of the table influences the choice.
Writes search.csv, search.md and manifest.json into OUT/METHOD. A second call resumes.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.shared import BUNDLED, parse
from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare import METRICS, Verdict, compare
from sgpmic_cli.benchmark.plan import Cell
from sgpmic_cli.benchmark.render.tables import markdown_table
from sgpmic_cli.benchmark.run import RunOptions, Runs, run_study, write_study
from sgpmic_cli.commands.output import Output, RunProgress
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
    with RunProgress(Output()) as watcher:
        options = RunOptions(asked.store, progress=watcher)
        for method in asked.methods:
            out = asked.out / method
            runs, cells = run_variations(method, options, out, asked.repeats)
            head, body = search_table(cells, ranking(cells))
            notes = cells[cells["failed"]].drop_duplicates(["variation", "dataset", "variance"])
            lines = [
                "- {variation} on {dataset} {variance}: {note}\n".format_map(row)
                for row in notes.to_dict("records")
            ]
            csv = cells[COLUMNS].to_csv(index=False, float_format="%.2f", lineterminator="\n")
            table = markdown_table(head, body) + ("\n" + "".join(lines) if lines else "")
            files = {"search.csv": csv, "search.md": table}
            write_study(out, files, runs, {"variations": SEARCHES[method]})
            print(method, markdown_table(head[:4], [row[:4] for row in body]), sep="\n\n")


def run_variations(
    method: str, options: RunOptions, out: PathLike, repeats: int
) -> tuple[Runs, pd.DataFrame]:
    """Run the variations of a method on all rows; return a line for each cell and metric."""
    tried = SEARCHES[method]

    def vary(cell: Cell) -> list[Cell]:
        return [replace(cell, settings={**cell.settings, **new}) for new in tried.values()]

    how: Any = {"repeats": repeats, "seed": SEED, "vary": vary}
    study = paper_suite().study(BUNDLED, [method], ["all"], **how)
    runs = run_study(study, options, out)
    names = list(tried)  # the cells of a row come in the order of the variations
    cells = compare(runs.frame, study.methods, table2())
    cells = cells[cells["metric"].isin(METRICS)].reset_index(drop=True)
    variation = [names[number % len(names)] for number in cells["cell"]]
    cells = cells.assign(variation=variation, failed=cells["failed"] > 0)
    titles = {"explained_variance": "variance", "mean": "ours", "paper_mean": "paper"}
    return runs, cells.rename(columns=titles)


def ranking(cells: pd.DataFrame) -> pd.DataFrame:
    """Count distinct cells of each variation, the best first and those with failed runs last.

    A mean over the remaining rows of a variation with failed runs could look too good.
    """
    judged = cells.drop_duplicates(["variation", "metric", "data", "q"])
    counts = pd.DataFrame(
        {
            "complete": ~cells["failed"],
            "within": judged["verdict"].isin([Verdict.EXACT, Verdict.NEAR]),
            "differ": judged["verdict"].isin([Verdict.UP, Verdict.DOWN]),
            "distance": judged["difference"].astype(float).abs(),
        }
    ).groupby(cells["variation"], sort=False)
    found = counts.agg({"complete": "all", "within": "sum", "differ": "sum", "distance": "mean"})
    order = found.assign(incomplete=~found["complete"], worse=found["differ"] - found["within"])
    return found.loc[order.sort_values(["incomplete", "worse", "distance"], kind="stable").index]


def search_table(cells: pd.DataFrame, ranked: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table for people: counts, and ACC by row of Table 2."""
    acc = cells[cells["metric"] == "acc"]
    acc = acc.pivot(index="variation", columns=["dataset", "variance"], values="ours")
    body = []
    for name, row in zip(map(str, ranked.index), ranked.to_dict("records"), strict=True):
        counts = [f"{row['within']:.0f}", f"{row['differ']:.0f}", f"{row['distance']:.2f}"]
        counts = counts if row["complete"] else 3 * ["failed"]
        scores = [f"{score:.1f}" for score in acc.loc[name].to_numpy(float)]
        scores = ["failed" if score == "nan" else score for score in scores]
        body.append([name, *counts, *scores])
    rows = [f"{column[0]} {column[1]}" for column in acc.columns]
    return ["variation", "within 1", "differ", "mean distance", *rows], body


if __name__ == "__main__":
    main()
