"""`sgpmic plot`: draw the paper's figures from our runs, and figures of one fit."""

from dataclasses import replace
from pathlib import Path

import typer

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, RunProgress
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.text import for_terminal


def complete_figures(incomplete: str) -> list[str]:
    """Complete the name of a figure."""
    from sgpmic_cli.paper.figures.catalogue import all_figures

    return [name for name in [*all_figures(), "all"] if name.startswith(incomplete)]


@shared.option_groups
def plot(  # noqa: PLR0913 - one parameter per option
    figures: list[str] = typer.Argument(
        metavar="FIGURE...",
        help="figure1 to figure8, critical-difference, or all; embedding, convergence.",
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
        "Number of clusters in --data.",
        *("--clusters", "--n-clusters"),
        default="auto",
    ),
    scale: shared.Scale = None,
    table: shared.TableOptionGroup,
    repeats: shared.Repeats = 10,
    seed: shared.Seed = 0,
    n_jobs: shared.Jobs = -1,
    results: Path = shared.option(
        "Folder that contains table2, sweep-clusters and sweep-inducing, or of one sweep.",
        value=Path("results"),
    ),
    store: Path | None = shared.option("Folder of run records.", default="RESULTS/runs"),
    source: shared.SourceOptions,
    quiet: shared.Quiet = False,
) -> None:
    """Draw figures, each as PNG and PDF.

    Runs that are not stored are computed. Figures 7 and 8 show what `sgpmic sweep-clusters` and
    `sgpmic sweep-inducing` wrote. The same runs give identical files.
    """
    from sgpmic_cli.benchmark.run import RunOptions
    from sgpmic_cli.files.output_folder import output_folder
    from sgpmic_cli.paper.figures.catalogue import resolve
    from sgpmic_cli.paper.figures.panels import PlotOptions

    chosen = resolve(figures)
    output = Output(quiet=quiet)
    running = RunOptions(store or results / "runs", n_jobs, **vars(source))
    named = table.options("model")
    options = PlotOptions(results, seed, repeats, data, named, clusters, scale, running)
    errors: dict[str, SgpmicError] = {}  # by their text
    for figure in chosen:
        try:
            with output_folder(out, "plot") as folder, RunProgress(output) as progress:
                shown = replace(options, running=replace(running, watcher=progress))
                notes = figure.load()(folder / figure.name, shown)
        except SgpmicError as error:  # continue with the other figures
            errors[str(error)] = error
            continue
        for note in notes:
            output.note(f"note: {figure.name}: {note}")
        print(for_terminal(str(out / f"{figure.name}.png")))
    if len(errors) == 1:
        raise errors.popitem()[1]
    if errors:
        raise UsageError(" ".join(errors))
    output.finish(f"{len(chosen)} {'figure' if len(chosen) == 1 else 'figures'} in {out}")
