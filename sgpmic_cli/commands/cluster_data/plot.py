"""`sgpmic plot`: the paper's figures from our runs, and the figures of any fit."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sgpmic_cli.commands.terminal.options import completion, shared_options, table_options
from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.errors import SgpmicError


def _figures(incomplete: str) -> list[str]:
    from sgpmic_cli.figures.catalogue import known

    return [name for name in [*known(), "all"] if name.startswith(incomplete)]


def plot(
    figures: Annotated[
        list[str],
        typer.Argument(
            metavar="FIGURE...",
            help="figure1 ... figure8, critical-difference, embedding, convergence; all but the last two: all.",
            autocompletion=_figures,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the figures.")] = shared_options.EXPLORED
    / "figures",
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            "--dataset",
            help="Data set or CSV file that 'embedding' and 'convergence' show.",
            autocompletion=completion.datasets,
        ),
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option(
            help="Clusters to look for in --data.",
            show_default="auto; the classes of a registered set",
        ),
    ] = None,
    scale: table_options.ScaleOption = None,
    label: table_options.Label = None,
    columns: table_options.Columns = None,
    drop: table_options.Drop = None,
    encode: table_options.Encode = "one-hot",
    missing: table_options.Missing = None,
    separator: table_options.Separator = None,
    decimal: table_options.Decimal = None,
    encoding: table_options.Encoding = None,
    repeats: shared_options.Repeats = 10,
    seed: shared_options.Seed = 0,
    n_jobs: shared_options.Jobs = -1,
    results: Annotated[
        Path, typer.Option(help="Folder with table2, sweep-clusters and sweep-inducing.")
    ] = Path("results"),
    store: Annotated[
        Path | None, typer.Option(help="Folder of run records.", show_default="RESULTS/runs")
    ] = None,
    data_dir: shared_options.DataDir = None,
    mirror: shared_options.Mirror = None,
    offline: shared_options.Offline = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Draw figures, each as PNG and PDF.

    Runs behind a figure are looked up in the store, and computed and kept where it has none; figures 7 and 8 draw what
    `sgpmic sweep-clusters` and `sgpmic sweep-inducing` wrote. The same runs give the same files, byte by byte.
    """
    from sgpmic_cli.commands.terminal.progress.run_progress import watching
    from sgpmic_cli.data.intake.options import TableOptions
    from sgpmic_cli.experiments.run.run_options import RunOptions
    from sgpmic_cli.figures.catalogue import resolve
    from sgpmic_cli.figures.plot_options import PlotOptions
    from sgpmic_cli.files.atomic import whole_folder

    chosen = resolve(figures)
    output = Output(quiet=quiet)
    running = RunOptions(
        store=store, n_jobs=n_jobs, data_dir=data_dir, mirror=mirror, offline=offline
    )
    table = TableOptions(
        label=label,
        columns=table_options.names(columns),
        drop=table_options.names(drop),
        encode=encode,
        missing=missing or "model",
        format=table_options.text_format(separator, decimal, encoding),
    )
    options = PlotOptions(results, seed, repeats, data, table, clusters, scale, running)
    refused: list[SgpmicError] = []
    for figure in chosen:
        try:
            with whole_folder(out) as folder, watching(output) as watcher:
                watched = replace(options, running=replace(running, watcher=watcher))
                remarks = figure.load()(folder / figure.name, watched)
        except SgpmicError as error:  # the others can be drawn all the same
            refused.append(error)
            continue
        for remark in remarks:
            output.remark(f"note: {figure.name}: {remark}")
        print(out / f"{figure.name}.png")
    if refused:
        raise type(refused[0])(" ".join(map(str, refused)))
    output.ending(f"{len(chosen)} {'figure' if len(chosen) == 1 else 'figures'} in {out}")
