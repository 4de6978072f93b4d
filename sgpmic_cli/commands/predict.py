"""`sgpmic predict`: new rows under a fitted model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sgpmic_cli.commands.terminal import completion
from sgpmic_cli.commands.terminal.output import Output, note_missing_header
from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.prediction import Predicted


def predict(
    model: Annotated[Path, typer.Argument(help="Model file of sgpmic fit, or the folder that it wrote.")],
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="Name of a data set, or the path of a CSV file.", autocompletion=completion.datasets
        ),
    ],
    label: Annotated[
        str | None, typer.Option(help="Column of a CSV file that holds the classes; scores are then reported.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the tables.", show_default="results/predict/NAME")
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
    """Give new rows their clusters, probabilities and latent points under a fitted model.

    The columns must be those the model was fitted to. Writes labels.csv and embedding.csv.
    """
    from sgpmic_cli.atomic import refuse_overwriting_inputs, whole_folder
    from sgpmic_cli.data import load
    from sgpmic_cli.single_fit import prediction

    output = Output(as_json=json, quiet=quiet)
    fitted = prediction.load_model(model)
    data = load(dataset, label=label, data_dir=data_dir, mirror=mirror, offline=offline, to_cluster=False)
    out = Path("results/predict", Path(data.name).name) if out is None else out
    if (out / "model.npz").exists():
        raise UsageError(f"'{out}' holds a fit, whose labels and latent points would be lost: name another --out.")
    refuse_overwriting_inputs(out, ("labels.csv", "embedding.csv"), [dataset, model])
    with whole_folder(out) as folder:
        predicted = prediction.predict(fitted, data)
        predicted.write(folder)
    note_missing_header(data, output)
    _print(predicted, out, output)


def _print(predicted: "Predicted", out: Path, output: Output) -> None:
    summary = predicted.summary()
    if output.as_json:
        output.document({**summary, "out": str(out)})
        return
    from sgpmic_cli.commands.terminal.facts import facts, score_words

    output.console().print(
        facts(
            {
                "data": f"{summary['dataset']}: {summary['rows']} rows",
                "clusters": f"{summary['clusters']} of sizes {', '.join(map(str, summary['sizes']))}",
                "certainty": f"{summary['mean_probability']:.3f} mean probability of the chosen cluster",
                **score_words(summary["scores"]),
            }
        )
    )
    output.remark(f"labels and embedding in {out}")
