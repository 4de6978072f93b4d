"""`sgpmic fit`: one model for one data set."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sgpmic_cli.commands.terminal.options import number_options, shared_options, table_options
from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Fitted

TABLES = (
    "model.npz",
    "labels.csv",
    "embedding.csv",
    "profile.csv",
    "trace.csv",
    "manifest.json",
    "report.html",
)
FIGURES, KINDS = ("convergence", "embedding", "profile", "numbers-tried"), ("png", "pdf")
FILES = (*TABLES, *(f"{name}.{kind}" for name in FIGURES for kind in KINDS))
PAPER = "The paper's setting"


def fit(
    dataset: table_options.Data = None,
    dataset_option: shared_options.DatasetOption = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Clusters to look for: a number such as 3, a range such as 2-8, or auto.",
            show_default="auto; with --setting paper the number of classes",
        ),
    ] = None,
    dims: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Latent dimensions, or auto.", show_default="2"),
    ] = None,
    variance: Annotated[
        float | None,
        typer.Option(
            help="Percentage of variance that sets the latent dimensions.",
            show_default="95 with --setting paper",
        ),
    ] = None,
    inducing: Annotated[
        int | None,
        typer.Option(
            "--inducing",
            "--n-inducing",
            help="Inducing inputs.",
            show_default="10; the paper's with --setting paper",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            "--iterations",
            "--max-iter",
            help="Rounds of E- and M-step at most.",
            show_default="100; 20 with --setting paper",
        ),
    ] = None,
    scale: table_options.ScaleOption = None,
    setting: Annotated[
        Literal["default", "paper"],
        typer.Option(
            help="default: for data of your own; paper: the model of the paper.",
            rich_help_panel=PAPER,
        ),
    ] = "default",
    kernel: Annotated[
        Literal["rbf", "linear"] | None,
        typer.Option(help="Kernel of the processes.", show_default="rbf", rich_help_panel=PAPER),
    ] = None,
    optimizer: Annotated[
        Literal["lbfgs", "scg"] | None,
        typer.Option(help="Optimiser of the M-step.", show_default="lbfgs", rich_help_panel=PAPER),
    ] = None,
    init: Annotated[
        int | None,
        typer.Option(
            "--init",
            "--n-init",
            help="Restarts; the best bound is kept.",
            show_default="1",
            rich_help_panel=PAPER,
        ),
    ] = None,
    n_jobs: Annotated[
        int, typer.Option(help="Threads, -1 for all cores; the result is the same to the last bit.")
    ] = 1,
    device: Annotated[
        Literal["auto", "cpu", "cuda"],
        typer.Option(
            help="cpu: NumPy; cuda: a GPU; auto: a GPU if there is one and the rows are many."
        ),
    ] = "cpu",
    temp_folder: Annotated[
        Path | None,
        typer.Option(
            help="Folder for files of what belongs to every row of a long table, where memory is short."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="What all random choices follow from.", min=0, max=2**32 - 1)
    ] = 0,
    label: table_options.Label = None,
    id_: table_options.Id = None,
    columns: table_options.Columns = None,
    drop: table_options.Drop = None,
    encode: table_options.Encode = "one-hot",
    missing: table_options.Missing = None,
    separator: table_options.Separator = None,
    decimal: table_options.Decimal = None,
    encoding: table_options.Encoding = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the model and its tables.", show_default="sgpmic-out/fit/NAME"
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over the fit that is in the folder.")
    ] = False,
    data_dir: shared_options.DataDir = None,
    mirror: shared_options.Mirror = None,
    offline: shared_options.Offline = False,
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Cluster a data set: find out how many clusters there are, and what makes each of them.

    Columns of numbers are used as they are, text of few values is encoded, ids are carried along; notes say what was
    done, and the model does the same to new rows. Writes report.html, a page with all of it, beside model.npz,
    labels.csv, embedding.csv, profile.csv, trace.csv, manifest.json and the figures, all of them or none.
    """
    from sgpmic_cli.commands.terminal.progress.fit_progress import showing
    from sgpmic_cli.data import load
    from sgpmic_cli.data.intake.options import TableOptions
    from sgpmic_cli.files.atomic import refuse_overwriting_inputs, whole_folder
    from sgpmic_cli.single_fit import fitting
    from sgpmic_cli.single_fit.settings import default_missing

    output = Output(as_json=json, quiet=quiet)
    dataset = shared_options.named(dataset, dataset_option)
    settings: dict[str, Any] = {
        "setting": setting,
        "clusters": number_options.clusters(clusters),
        "dims": number_options.dimensions(dims),
        "variance": variance,
        "kernel": kernel,
        "inducing": inducing,
        "max_iter": iterations,
        "optimizer": optimizer,
        "scale": scale,
        "n_init": init,
        "n_jobs": n_jobs,
        "device": device,
        "temp_folder": None if temp_folder is None else str(temp_folder),
        "seed": seed,
    }
    table = TableOptions(
        label=label,
        id=id_,
        columns=table_options.names(columns),
        drop=table_options.names(drop),
        encode=encode,
        missing=missing or default_missing(setting),
        format=table_options.text_format(separator, decimal, encoding),
    )
    data = load(dataset, table=table, data_dir=data_dir, mirror=mirror, offline=offline)
    out = shared_options.EXPLORED / "fit" / Path(data.name).name if out is None else out
    if (out / "model.npz").exists() and not force:
        raise UsageError(
            f"'{out}' holds a fit already: name another --out to keep both, or replace it with --force."
        )
    refuse_overwriting_inputs(out, FILES, [dataset])
    with whole_folder(out) as folder:
        with showing(output) as progress:
            fitted = fitting.fit(data, **settings, progress=progress)
        undrawn = _write(
            fitted, folder, out, {"dataset": dataset, "table": asdict(table), **settings}
        )
        written = {path.name for path in folder.iterdir()}
    for old in set(FILES) - written:  # of a fit that was written over
        (out / old).unlink(missing_ok=True)
    for remark in (*data.notes, *fitted.remarks, *fitted.advice, *undrawn):
        output.remark(f"note: {remark}")
    _print(fitted, out, output)


def _write(fitted: "Fitted", folder: Path, out: Path, arguments: dict[str, Any]) -> list[str]:
    """Write everything; also what is said of figures that could not be drawn."""
    import json

    from sgpmic_cli.experiments.run.manifest import manifest
    from sgpmic_cli.figures.one_fit import draw_all
    from sgpmic_cli.report.single_fit.page import page

    fitted.write(folder)
    about = manifest(arguments, {fitted.data.name: fitted.data.sha256}, fit=fitted.summary())
    (folder / "manifest.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    undrawn = draw_all(fitted, folder)
    (folder / "report.html").write_text(page(fitted, folder, out, arguments), encoding="utf-8")
    return undrawn


def _print(fitted: "Fitted", out: Path, output: Output) -> None:
    if output.as_json:
        output.document({**fitted.summary(), "out": str(out)})
    else:
        from sgpmic_cli.commands.terminal.tables.fit_tables import tables

        console = output.console()
        for part in tables(fitted):
            console.print(part)
    output.ending(f"page, model, tables and figures in {out}")
