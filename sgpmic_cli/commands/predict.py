"""`sgpmic predict`: assign new rows to the clusters of a fitted model."""

from pathlib import Path
from typing import Annotated

import typer

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output


@shared.option_groups
def predict(  # noqa: PLR0913 - one parameter per option
    model: Annotated[Path, typer.Argument(help="Model file, or the output folder of sgpmic fit.")],
    dataset: shared.Data = None,
    dataset_option: shared.DatasetOption = None,
    *,
    n_jobs: shared.Threads = 1,
    label: shared.Label = None,
    id_: shared.Id = None,
    file: shared.FileFormat,
    out: Path | None = shared.option(
        "Output folder.", value=None, default="sgpmic-out/predict/NAME, the file without suffix"
    ),
    force: shared.Force = False,
    source: shared.Source,
    output: Output,
) -> None:
    """Compute the clusters, probabilities and latent points of new rows under a fitted model.

    The table is prepared as in the fit: columns are matched by name (by position in a file without
    a header), other columns are ignored, and text and missing values are treated as before. Rows
    are read in blocks, so the table can be larger than memory. Writes labels.csv, which marks rows
    unlike those of the fit as unusual, and embedding.csv.
    """
    from sgpmic_cli.commands.progress import FitProgress
    from sgpmic_cli.commands.terminal_tables import facts, score_facts
    from sgpmic_cli.data.loading import rows_for
    from sgpmic_cli.files.output_folder import output_folder
    from sgpmic_cli.single_fit import prediction

    dataset = shared.one_of(dataset, dataset_option)
    fitted = prediction.load_model(model, n_jobs)
    recipe = prediction.recipe_of(fitted)
    text_format = file.text_format(recipe.format)
    rows = rows_for(recipe, dataset, label=label, id=id_, format=text_format, **vars(source))
    out = shared.default_out("predict", rows.name) if out is None else out
    with (
        output_folder(out, "predict", "replace" if force else "new", [dataset, model]) as folder,
        FitProgress(output, "reading the rows") as progress,
    ):
        summary = prediction.predict(fitted, rows, folder, progress)
    for note in summary["notes"]:
        output.note(f"note: {note}")
    if output.json:
        output.document({**summary, "out": str(out)})
    else:
        sizes, unusual = ", ".join(map(str, summary["sizes"])), summary["unusual_rows"]
        content = {
            "data": f"{summary['dataset']}: {summary['rows']} rows",
            "clusters": f"{summary['clusters']} of sizes {sizes}",
            "certainty": f"{summary['mean_probability']:.2f} mean probability of the cluster",
            "unusual rows": "not known" if unusual is None else str(unusual),
            **score_facts(summary["scores"]),
        }
        output.show(facts(content))
    output.finish(f"labels and embedding in {out}")
