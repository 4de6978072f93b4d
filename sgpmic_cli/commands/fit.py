"""`sgpmic fit`: one model for one data set."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgpmic_cli.commands.terminal import completion
from sgpmic_cli.commands.terminal.output import Output, note_missing_header

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Fitted

TABLES = ("model.npz", "labels.csv", "embedding.csv", "trace.csv", "manifest.json")
FIGURES, KINDS = ("convergence", "embedding"), ("png", "pdf")


def fit(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="Name of a data set, or the path of a CSV file.", autocompletion=completion.datasets
        ),
    ],
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
    label: Annotated[str | None, typer.Option(help="Column of a CSV file that holds the classes.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the model and its tables.", show_default="results/fit/NAME")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of downloaded data.", envvar="SGPMIC_DATA", show_envvar=True)
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option(help="Folder or server with the publishers' files.", envvar="SGPMIC_MIRROR", show_envvar=True),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Never use the network.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on stderr but errors.")] = False,
) -> None:
    """Fit SGP-MIC to a data set and keep the model, its clusters and its latent space.

    All columns are used as they are. Writes model.npz, labels.csv, embedding.csv, trace.csv, manifest.json and the
    figures convergence and embedding (PNG and PDF), all of them or none (a figure that cannot be drawn is left out).
    """
    from sgpmic_cli.atomic import refuse_overwriting_inputs, whole_folder
    from sgpmic_cli.commands.terminal.fit_progress import showing
    from sgpmic_cli.data import load
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
    data = load(dataset, label=label, data_dir=data_dir, mirror=mirror, offline=offline)
    out = Path("results/fit", Path(data.name).name) if out is None else out
    replaced = _fitted_to_other_data(out, data.sha256)
    refuse_overwriting_inputs(out, (*TABLES, *(f"{name}.{kind}" for name in FIGURES for kind in KINDS)), [dataset])
    with whole_folder(out) as folder:
        with showing(output) as progress:
            fitted = fitting.fit(data, **settings, progress=progress)
        _write(fitted, folder, {"dataset": dataset, "label": label, **settings})
        undrawn = _draw(fitted, folder)
    for name in undrawn:  # an older picture would show another fit
        for kind in KINDS:
            (out / f"{name}.{kind}").unlink(missing_ok=True)
    note_missing_header(data, output)
    if replaced:
        output.remark(f"note: it replaces the fit of other data that was in {out}; another --out keeps both.")
    for remark in (*fitted.remarks, *undrawn.values()):
        output.remark(f"note: {remark}")
    _print(fitted, out, output)


def _fitted_to_other_data(folder: Path, sha256: str) -> bool:
    """Whether a folder holds a fit of data other than these."""
    from sgpmic_cli.json_file import read_json

    try:
        about = read_json(folder / "manifest.json")
        return sha256 not in about["data"].values()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _write(fitted: "Fitted", folder: Path, arguments: dict[str, Any]) -> None:
    import json

    from sgpmic_cli.experiments.run.manifest import manifest

    fitted.write(folder)
    about = manifest(arguments, {fitted.data.name: fitted.data.sha256}, fit=fitted.summary())
    (folder / "manifest.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _draw(fitted: "Fitted", folder: Path) -> dict[str, str]:
    """Draw the figures and say which could not be drawn: no picture is worth a fit."""
    from sgpmic_cli.figures.convergence import draw_convergence
    from sgpmic_cli.figures.embedding import draw_embedding

    model, data = fitted.model, fitted.data
    accs = [acc for _, _, step, _, acc in fitted.trace() if step == "E" and acc is not None]
    points: dict[str, Any] = {"means": model.means_, "classes": data.labels, "class_names": data.class_names}
    pictures: dict[str, Callable[[Path], None]] = {
        "convergence": lambda stem: draw_convergence(stem, model.lower_bounds_, accs or None),
        "embedding": lambda stem: draw_embedding(stem, model.embedding_, model.labels_, **points),
    }
    undrawn = {}
    for name, draw in pictures.items():
        try:
            draw(folder / name)
        except Exception as error:
            for kind in KINDS:
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
            undrawn[name] = f"the figure {name} could not be drawn ({type(error).__name__}: {error})."
    return undrawn


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
