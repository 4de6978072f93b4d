"""`sgpmic fit`: one model for one data set."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgpmic_cli.commands.terminal import shared_options, table_options
from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Fitted

TABLES = ("model.npz", "labels.csv", "embedding.csv", "trace.csv", "manifest.json")
FIGURES, KINDS = ("convergence", "embedding"), ("png", "pdf")


def fit(
    dataset: table_options.Data,
    clusters: Annotated[
        int | None, typer.Option(help="Clusters to look for.", show_default="number of classes, where known")
    ] = None,
    dims: Annotated[int | None, typer.Option(help="Latent dimensions.", show_default="set by --variance")] = None,
    variance: Annotated[
        float | None,
        typer.Option(help="Percentage of variance that sets the latent dimensions.", show_default="95"),
    ] = None,
    kernel: Annotated[str | None, typer.Option(help="rbf or linear.", show_default="rbf")] = None,
    inducing: Annotated[
        int | None, typer.Option(help="Inducing inputs.", show_default="the paper's number for the data set, else 50")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Rounds of E- and M-step at most.", show_default="20")] = None,
    optimizer: Annotated[
        str | None, typer.Option(help="Optimiser of the M-step: scg or lbfgs.", show_default="lbfgs")
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            help="none, global (one factor) or standard (every column to unit variance).", show_default="global"
        ),
    ] = None,
    init: Annotated[int | None, typer.Option(help="Restarts; the best bound is kept.", show_default="1")] = None,
    seed: Annotated[int, typer.Option(help="What all random choices follow from.", min=0, max=2**32 - 1)] = 0,
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
        Path | None, typer.Option(help="Folder for the model and its tables.", show_default="results/fit/NAME")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the fit that is in the folder.")] = False,
    data_dir: shared_options.DataDir = None,
    mirror: shared_options.Mirror = None,
    offline: shared_options.Offline = False,
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Fit SGP-MIC to a data set and keep the model, its clusters and its latent space.

    Columns of numbers are used as they are, text of few values is encoded, ids are carried along; notes say what was
    done, and the model does the same to new rows. Writes model.npz, labels.csv, embedding.csv, trace.csv, manifest.json
    and the figures convergence and embedding (PNG and PDF), all of them or none.
    """
    from sgpmic_cli.atomic import refuse_overwriting_inputs, whole_folder
    from sgpmic_cli.commands.terminal.fit_progress import showing
    from sgpmic_cli.data import load
    from sgpmic_cli.data.intake.options import TableOptions
    from sgpmic_cli.single_fit import fitting

    output = Output(as_json=json, quiet=quiet)
    settings: dict[str, Any] = {
        "clusters": clusters,
        "dims": dims,
        "variance": variance,
        "kernel": kernel,
        "inducing": inducing,
        "max_iter": iterations,
        "optimizer": optimizer,
        "scale": scale,
        "n_init": init,
        "seed": seed,
    }
    table = TableOptions(
        label=label,
        id=id_,
        columns=table_options.names(columns),
        drop=table_options.names(drop),
        encode=encode,
        missing=missing or fitting.default_missing(),
        format=table_options.text_format(separator, decimal, encoding),
    )
    data = load(dataset, table=table, data_dir=data_dir, mirror=mirror, offline=offline)
    out = Path("results/fit", Path(data.name).name) if out is None else out
    if (out / "model.npz").exists() and not force:
        raise UsageError(f"'{out}' holds a fit already: name another --out to keep both, or replace it with --force.")
    refuse_overwriting_inputs(out, (*TABLES, *(f"{name}.{kind}" for name in FIGURES for kind in KINDS)), [dataset])
    try:
        with whole_folder(out) as folder:
            with showing(output) as progress:
                fitted = fitting.fit(data, **settings, progress=progress)
            _write(fitted, folder, {"dataset": dataset, "table": asdict(table), **settings})
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; nothing was written.") from None
    for remark in (*data.notes, *fitted.remarks):
        output.remark(f"note: {remark}")
    _print(fitted, out, output)


def _write(fitted: "Fitted", folder: Path, arguments: dict[str, Any]) -> None:
    import json

    from sgpmic_cli.experiments.run.manifest import manifest
    from sgpmic_cli.figures.convergence import draw_convergence
    from sgpmic_cli.figures.embedding import draw_embedding

    fitted.write(folder)
    about = manifest(arguments, {fitted.data.name: fitted.data.sha256}, fit=fitted.summary())
    (folder / "manifest.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    model, data = fitted.model, fitted.data
    accs = [acc for _, _, step, _, acc in fitted.trace() if step == "E" and acc is not None]
    draw_convergence(folder / "convergence", model.lower_bounds_, accs or None)
    draw_embedding(
        folder / "embedding",
        model.embedding_,
        model.labels_,
        means=model.means_,
        classes=data.labels,
        class_names=data.class_names,
    )


def _print(fitted: "Fitted", out: Path, output: Output) -> None:
    summary = fitted.summary()
    if output.as_json:
        output.document({**summary, "out": str(out)})
        return
    from sgpmic_cli.commands.terminal.facts import facts, score_words

    ended = "converged" if summary["converged"] else "all done"
    output.console().print(
        facts(
            {
                "data": f"{summary['dataset']}: {summary['rows']} rows, {summary['columns']} columns",
                "clusters": _sizes(summary),
                "latent space": f"{summary['dims']} dimension{'s' * (summary['dims'] > 1)}, "
                f"{summary['kernel']} kernel, {summary['inducing']} inducing inputs, scale {summary['scale']}",
                "rounds": f"{summary['rounds']} ({ended}), {summary['optimizer']}, seed {summary['seed']}, "
                f"{summary['seconds']:.1f} s",
                "lower bound": f"{summary['lower_bound']:.4f}",
                **score_words(summary["scores"]),
            }
        )
    )
    output.remark(f"model, tables and figures in {out}")


def _sizes(summary: dict[str, Any]) -> str:
    sizes = ", ".join(map(str, summary["sizes"]))
    empty = summary["sizes"].count(0)
    return f"{summary['clusters']} of sizes {sizes}" + (f" ({empty} without rows)" if empty else "")
