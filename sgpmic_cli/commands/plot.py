"""`sgpmic plot`: draw the paper's figures from our runs, and figures of one fit."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, RunProgress
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.text import for_terminal

OF_ONE_FIT = ("embedding", "convergence")


def complete_figures(incomplete: str) -> list[str]:
    """Complete the name of a figure."""
    from sgpmic_cli.paper.figures import MODULES

    names = [*MODULES, *OF_ONE_FIT, "all"]
    return [name for name in names if name.startswith(incomplete)]


@shared.option_groups
def plot(  # noqa: PLR0913 - one parameter per option
    figures: list[str] = typer.Argument(
        metavar="FIGURE...",
        help="figure1 to figure8, or all; embedding, convergence.",
        autocompletion=complete_figures,
    ),
    *,
    out: Path = shared.option("Output folder.", value=shared.OUTPUT_FOLDER / "figures"),
    data: str | None = shared.option(
        "Data set or CSV file of the figures embedding and convergence.",
        *("--data", "--dataset"),
        autocompletion=shared.complete_datasets,
    ),
    clusters: int | None = shared.option(
        "Number of clusters in --data.", *("--clusters", "--n-clusters"), default="auto"
    ),
    scale: shared.Scale | None = shared.scale_option("standard"),
    table: shared.TableOptionGroup,
    repeats: shared.Repeats = 10,
    seed: shared.Seed = 0,
    n_jobs: shared.Jobs = -1,
    results: Path = shared.option(
        "Folder that contains table2, sweep-clusters and sweep-inducing, or of one sweep.",
        value=Path("results"),
    ),
    store: Path | None = shared.option("Folder of run records.", default="RESULTS/runs"),
    data_dir: shared.DataDir = None,
    quiet: shared.Quiet = False,
) -> None:
    """Draw figures, each as PNG.

    Runs that are not stored are computed. Figures 7 and 8 show what `sgpmic sweep-clusters` and
    `sgpmic sweep-inducing` wrote. The same runs give identical files.
    """
    from sgpmic_cli.benchmark.run import RunOptions
    from sgpmic_cli.files import output_folder
    from sgpmic_cli.paper.figures import drawing, resolve
    from sgpmic_cli.paper.figures.panels import PlotOptions

    chosen = resolve(figures, OF_ONE_FIT)
    output = Output(quiet=quiet)
    running = RunOptions(store or results / "runs", n_jobs, data_dir=data_dir)
    options = PlotOptions(results, seed, repeats, running)
    errors: dict[str, SgpmicError] = {}  # by their text
    for name in chosen:
        notes: list[str] = []
        try:
            with output_folder(out, "plot") as folder, RunProgress(output) as progress:
                if name in OF_ONE_FIT:
                    fit = {"clusters": clusters, "scale": scale, "seed": seed}
                    notes = _fit_and_draw(name, folder / name, data, table, data_dir, **fit)
                else:
                    shown = replace(options, running=replace(running, progress=progress))
                    drawing(name)(folder / name, shown)
        except SgpmicError as error:  # continue with the other figures
            errors[str(error)] = error
            continue
        for note in notes:
            output.note(f"note: {name}: {note}")
        print(for_terminal(str(out / f"{name}.png")))
    if len(errors) == 1:
        raise errors.popitem()[1]
    if errors:
        raise UsageError(" ".join(errors))
    output.finish(f"{len(chosen)} {'figure' if len(chosen) == 1 else 'figures'} in {out}")


def _fit_and_draw(
    name: str,
    stem: Path,
    data: str | None,
    table: shared.TableOptionGroup,
    data_dir: Path | None,
    **options: Any,
) -> list[str]:
    """Fit a data set as `sgpmic fit` does, and draw one figure of it."""
    from threadpoolctl import threadpool_limits

    from sgpmic_cli.commands.fit_models import estimator_for
    from sgpmic_cli.data import load
    from sgpmic_cli.fitting import fit_rows
    from sgpmic_cli.result import plots

    if data is None:
        raise UsageError("this figure needs a data set: name it, such as --data iris.")
    rows = load(data, table=table.options(), data_dir=data_dir)
    with threadpool_limits(limits=1):
        result = fit_rows(estimator_for(rows, **options), rows)
    if name == "embedding":
        plots.draw_embedding(result, stem)
    elif result.trace is not None:
        plots.draw_convergence(result.trace, stem)
    return [*rows.notes, *result.warnings]
