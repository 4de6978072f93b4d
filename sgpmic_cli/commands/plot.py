"""`sgpmic plot`: draw the paper's figures from our runs."""

from pathlib import Path

from typer import Argument, Option

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, Progress
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.text import for_terminal


def plot(
    figures: list[str] = Argument(metavar="FIGURE...", help="figure1 to figure8, or all."),
    out: Path = Option(shared.OUTPUT_FOLDER / "figures", help="Output folder."),
    repeats: shared.Repeats = 10,
    seed: shared.Seed = 0,
    n_jobs: shared.Jobs = -1,
    results: Path = Option(
        Path("results"),
        help="Folder that contains table2, sweep-clusters and sweep-inducing, or of one sweep.",
    ),
    store: Path | None = Option(None, help="Folder of runs.", show_default="RESULTS/runs"),
    quiet: shared.Quiet = False,
) -> None:
    """Draw the paper's figures from our runs, each as PNG.

    Runs that are not stored are computed. Figures 7 and 8 show what `sgpmic sweep-clusters` and
    `sgpmic sweep-inducing` wrote. The same runs give identical files.
    """
    from sgpmic_cli.benchmark.run import RunOptions
    from sgpmic_cli.files import output_folder
    from sgpmic_cli.paper.figures import drawing, resolve
    from sgpmic_cli.paper.figures.panels import PlotOptions

    chosen, output = resolve(figures), Output(quiet=quiet)
    errors: dict[str, SgpmicError] = {}  # by their text
    with Progress(output) as progress:
        running = RunOptions(store or results / "runs", n_jobs, progress=progress)
        options = PlotOptions(results, seed, repeats, running)
        for name in chosen:
            try:
                with output_folder(out, "plot") as folder:
                    drawing(name)(folder / name, options)
                print(for_terminal(str(out / f"{name}.png")))
            except SgpmicError as error:  # continue with the other figures
                errors[str(error)] = error
    if len(errors) == 1:
        raise errors.popitem()[1]
    if errors:
        raise UsageError(" ".join(errors))
    output.finish(f"{len(chosen)} {'figure' if len(chosen) == 1 else 'figures'} in {out}")
