"""`sgpmic predict`: new rows under a fitted model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sgpmic_cli.commands.terminal.options import shared_options, table_options
from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.errors import UsageError

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.prediction import Predicted


def predict(
    model: Annotated[
        Path, typer.Argument(help="Model file of sgpmic fit, or the folder that it wrote.")
    ],
    dataset: table_options.Data = None,
    dataset_option: shared_options.DatasetOption = None,
    label: table_options.Label = None,
    id_: table_options.Id = None,
    separator: table_options.Separator = None,
    decimal: table_options.Decimal = None,
    encoding: table_options.Encoding = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the tables.", show_default="sgpmic-out/predict/NAME"),
    ] = None,
    data_dir: shared_options.DataDir = None,
    mirror: shared_options.Mirror = None,
    offline: shared_options.Offline = False,
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Give new rows their clusters, probabilities and latent points under a fitted model.

    The table may be as raw as the one that the model was fitted to: columns are found by name (by position in files
    without a header), others are ignored, text and missing values are treated as they were. Its rows go through in
    blocks, so that it may be longer than memory holds. Writes labels.csv and embedding.csv.
    """
    from sgpmic_cli.commands.terminal.progress.fit_progress import showing
    from sgpmic_cli.data.loading import rows_for
    from sgpmic_cli.files.atomic import refuse_overwriting_inputs, whole_folder
    from sgpmic_cli.single_fit import prediction

    output = Output(as_json=json, quiet=quiet)
    dataset = shared_options.named(dataset, dataset_option)
    fitted = prediction.load_model(model)
    recipe = prediction.recipe_of(fitted)
    rows = rows_for(
        recipe,
        dataset,
        label=label,
        id=id_,
        format=table_options.text_format(separator, decimal, encoding, recipe.format),
        data_dir=data_dir,
        mirror=mirror,
        offline=offline,
    )
    out = shared_options.EXPLORED / "predict" / Path(rows.name).name if out is None else out
    if (out / "model.npz").exists():
        raise UsageError(
            f"'{out}' holds a fit, whose labels and latent points would be lost: name another --out."
        )
    refuse_overwriting_inputs(out, ("labels.csv", "embedding.csv"), [dataset, model])
    with whole_folder(out) as folder, showing(output, "reading the rows") as progress:
        predicted = prediction.predict(fitted, rows, folder, progress)
    for note in predicted.notes:
        output.remark(f"note: {note}")
    _print(predicted, out, output)


def _print(predicted: "Predicted", out: Path, output: Output) -> None:
    summary = predicted.summary()
    if output.as_json:
        output.document({**summary, "out": str(out)})
    else:
        from sgpmic_cli.commands.terminal.tables.facts import facts, score_words

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
    output.ending(f"labels and embedding in {out}")
