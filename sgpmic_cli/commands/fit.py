"""`sgpmic fit`: fit one model to one data set."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output
from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Fitted

TABLES = ("labels.csv", "embedding.csv", "profile.csv", "trace.csv")
FIGURES = ("convergence", "embedding", "profile", "numbers-tried")
FILES = (
    *("model.npz", "manifest.json", "report.html", *TABLES),
    *(f"{name}.{kind}" for name in FIGURES for kind in ("png", "pdf")),
)
_paper_option = partial(shared.option, rich_help_panel="The paper's model")


def fit(  # noqa: PLR0913 - one parameter per option
    dataset: shared.Data = None,
    dataset_option: shared.DatasetOption = None,
    clusters: Annotated[
        str | None,
        shared.option(
            "Number of clusters: a number such as 3, a range such as 2-8, or auto.",
            "--clusters",
            "--n-clusters",
            default="auto; with --setting paper the number of classes",
            metavar="NUMBER",
        ),
    ] = None,
    dims: Annotated[
        str | None,
        shared.option(
            "Number of latent dimensions, or auto.",
            "--dims",
            "--n-components",
            default="2",
            metavar="NUMBER",
        ),
    ] = None,
    variance: Annotated[
        float | None,
        shared.option(
            "Percentage of explained variance that sets the latent dimensions.",
            default="95 with --setting paper",
        ),
    ] = None,
    inducing: Annotated[
        int | None,
        shared.option(
            "Number of inducing inputs.",
            "--inducing",
            "--n-inducing",
            default="15; the paper's with --setting paper",
            min=1,
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        shared.option(
            "Maximum number of EM iterations.",
            "--iterations",
            "--max-iter",
            default="30; 20 with --setting paper",
            min=1,
        ),
    ] = None,
    resamples: Annotated[
        int | None,
        shared.option(
            "Refits of the base clusterings to random halves of the rows, which lower the "
            "probability of unstable rows; 0 for none. Not with --setting paper.",
            default="8",
            min=0,
        ),
    ] = None,
    scale: shared.Scale = None,
    setting: Annotated[
        Literal["default", "paper"],
        _paper_option("default: the model for your own data; paper: the paper's model."),
    ] = "default",
    kernel: Annotated[
        Literal["rbf", "linear"] | None, _paper_option("Kernel.", default="rbf")
    ] = None,
    optimizer: Annotated[
        Literal["lbfgs", "scg"] | None, _paper_option("Optimizer of the M-step.", default="lbfgs")
    ] = None,
    init: Annotated[
        int | None,
        _paper_option(
            "Number of restarts; the one with the best bound is kept.",
            "--init",
            "--n-init",
            default="1",
            min=1,
        ),
    ] = None,
    n_jobs: shared.Threads = 1,
    device: Annotated[
        Literal["auto", "cpu", "cuda"],
        shared.option("cpu: NumPy; cuda: a GPU; auto: a GPU if available and worthwhile."),
    ] = "cpu",
    temp_folder: Annotated[
        Path | None, shared.option("Folder for memory-mapped arrays of a table larger than memory.")
    ] = None,
    seed: Annotated[int, shared.option("Random seed.", min=0, max=2**32 - 1)] = 0,
    label: shared.Label = None,
    id_: shared.Id = None,
    columns: shared.Columns = None,
    drop: shared.Drop = None,
    encode: shared.Encode = "one-hot",
    missing: shared.Missing = None,
    separator: shared.Separator = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    out: Annotated[
        Path | None, shared.option("Output folder.", default="sgpmic-out/fit/NAME")
    ] = None,
    force: Annotated[
        bool, shared.option("Replace the fit in the output folder.", "--force")
    ] = False,
    data_dir: shared.DataDir = None,
    mirror: shared.Mirror = None,
    offline: shared.Offline = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Cluster a data set, choose the number of clusters, and describe each cluster.

    Numeric columns are used as they are, text columns with few values are encoded, and id columns
    name the rows. Notes describe this preparation; `sgpmic predict` repeats it for new rows.
    Writes report.html, model.npz, labels.csv, embedding.csv, profile.csv, trace.csv, manifest.json
    and the figures. If the fit fails, nothing is written.
    """
    from sgpmic_cli.commands.fit_tables import fit_tables
    from sgpmic_cli.commands.progress import FitProgress
    from sgpmic_cli.data import load
    from sgpmic_cli.data.intake.options import TableOptions
    from sgpmic_cli.files.atomic import refuse_overwriting_inputs, whole_folder
    from sgpmic_cli.single_fit import fitting
    from sgpmic_cli.single_fit.settings import default_missing

    output = Output(as_json=json, quiet=quiet)
    dataset = shared.one_of(dataset, dataset_option)
    settings: dict[str, Any] = {
        "setting": setting,
        "clusters": shared.cluster_number(clusters),
        "dims": shared.dimension_number(dims),
        "variance": variance,
        "kernel": kernel,
        "inducing": inducing,
        "max_iter": iterations,
        "optimizer": optimizer,
        "scale": scale,
        "n_init": init,
        "n_resamples": resamples,
        "n_jobs": n_jobs,
        "device": device,
        "temp_folder": None if temp_folder is None else str(temp_folder),
        "seed": seed,
    }
    table = TableOptions(
        label=label,
        id=id_,
        columns=shared.split_columns(columns),
        drop=shared.split_columns(drop),
        encode=encode,
        missing=missing or default_missing(setting),
        format=shared.text_format(separator, decimal, encoding),
    )
    data = load(dataset, table=table, data_dir=data_dir, mirror=mirror, offline=offline)
    out = shared.OUTPUT_FOLDER / "fit" / Path(data.name).name if out is None else out
    if (out / "model.npz").exists() and not force:
        raise UsageError(
            f"'{out}' already contains a fit: choose another --out, or replace it with --force."
        )
    refuse_overwriting_inputs(out, FILES, [dataset])
    with whole_folder(out) as folder:
        with FitProgress(output) as progress:
            fitted = fitting.fit(data, **settings, progress=progress)
        arguments = {"dataset": dataset, "table": asdict(table), **settings}
        drawing_notes = _write(fitted, folder, out, arguments)
        written = {path.name for path in folder.iterdir()}
    for name in set(FILES) - written:  # files of the fit that was replaced
        (out / name).unlink(missing_ok=True)
    for note in (*data.notes, *fitted.remarks, *fitted.advice, *drawing_notes):
        output.note(f"note: {note}")
    if json:
        output.document({**fitted.summary(), "out": str(out)})
    else:
        output.show(*fit_tables(fitted))
    output.finish(f"report, model, tables and figures in {out}")


def _write(fitted: "Fitted", folder: Path, out: Path, arguments: dict[str, Any]) -> list[str]:
    """Write all files; return notes on the figures that could not be drawn."""
    import json

    from sgpmic_cli.experiments.run.manifest import manifest
    from sgpmic_cli.figures.one_fit import draw_all
    from sgpmic_cli.report.fit_page import fit_page

    fitted.write(folder)
    about = manifest(arguments, {fitted.data.name: fitted.data.sha256}, fit=fitted.summary())
    (folder / "manifest.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    notes = draw_all(fitted, folder)
    (folder / "report.html").write_text(fit_page(fitted, folder, out, arguments), encoding="utf-8")
    return notes
