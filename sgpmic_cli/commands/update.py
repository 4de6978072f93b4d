"""`sgpmic update` and `sgpmic diff`: add rows to a model, and compare two models."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output

N_ROWS = 10  # changed rows that are shown
Model = Annotated[
    Path, typer.Argument(help="Model file, or the output folder of sgpmic fit or update.")
]


@shared.option_groups
def update(  # noqa: PLR0913 - one parameter per option
    model: Model,
    dataset: shared.Data = None,
    dataset_option: shared.DatasetOption = None,
    *,
    n_jobs: shared.Threads = 1,
    file: shared.FileOptions,
    out: Path | None = shared.option(
        "Output folder.", default="sgpmic-out/update/NAME, the file without suffix"
    ),
    force: shared.Force = False,
    source: shared.SourceOptions,
    output: Output,
) -> None:
    """Add new rows to a fitted model, whose old rows keep their clusters and places on the map.

    Only unusual old rows that join a new cluster move. New rows join the clusters. Rows unlike all
    others form a new cluster if a valley of the density separates it from every other. The table is
    prepared as in the fit. Writes model.npz, the model of all rows, and labels.csv and
    embedding.csv of the new rows.
    """
    from sgpmic_cli.commands.output import FitProgress, facts
    from sgpmic_cli.data.loading import rows_for
    from sgpmic_cli.estimator_base.latent_clusterer import load
    from sgpmic_cli.files.output_folder import output_folder
    from sgpmic_cli.result.later_rows import add_rows, recipe_of

    dataset = shared.named_data(dataset, dataset_option)
    fitted = load(model).set_params(n_jobs=n_jobs)
    recipe = recipe_of(fitted)
    text = file.format(recipe.format)
    rows = rows_for(recipe, dataset, label=file.label, id=file.id, format=text, **vars(source))
    out = shared.default_out("update", rows.name) if out is None else out
    inputs: list[str | Path] = [dataset, model, model / "model.npz"]
    with (
        output_folder(out, "update", "replace" if force else "new", inputs) as folder,
        FitProgress(output, "reading the rows"),
    ):
        summary = add_rows(fitted, rows, folder)
    for note in summary["notes"]:
        output.note(f"note: {note}")
    moved, kept = len(summary["moved_rows"]), summary["rows_before"]
    new = ", ".join(map(str, summary["new_clusters"])) or "none"
    content = {
        "data": f"{summary['dataset']}: {summary['rows']} new rows, {kept} old rows",
        "clusters": f"{summary['clusters']}, new ones: {new}",
        "sizes": f"{', '.join(map(str, summary['sizes']))} of the new rows",
        "old rows": f"{kept - moved} keep cluster and place, {moved} joined a new cluster",
        "unusual rows": f"{summary['unusual_rows']} of the new rows",
    }
    output.result({**summary, "out": str(out)}, [facts(content)])
    output.finish(f"model, labels and embedding in {out}")


@shared.option_groups
def diff(before: Model, after: Model, *, output: Output) -> None:
    """Compare two fits of the same table, or of a table and the same table with further rows.

    Says which clusters match, which rows changed their cluster, and which columns changed their
    role. The rows of the first fit must be the first rows of the second one.
    """
    from sgpmic_cli.commands.output import facts, rich_table
    from sgpmic_cli.estimator_base.latent_clusterer import load
    from sgpmic_cli.result.later_rows import compare_fits

    found: dict[str, Any] = compare_fits(load(before), load(after))
    pairs = [[str(value) for value in pair.values()] for pair in found["matched_clusters"]]
    changed, columns = found["changed_rows"], found["changed_columns"]
    # Clusters of the second fit have the numbers of the first one, if they match one there.
    same = {pair["after"]: pair["before"] for pair in found["matched_clusters"]}
    rows = [
        f"{row['row']} ({row['before']} to {same.get(row['after'], 'a new cluster')})"
        for row in changed[:N_ROWS]
    ]
    content = {
        "rows": f"{found['rows']} in both, {found['new_rows']} new",
        "clusters gone": ", ".join(map(str, found["clusters_gone"])) or "none",
        "new clusters": ", ".join(map(str, found["new_clusters"])) or "none",
        "changed rows": f"{len(changed)}: {', '.join(rows)}" if rows else "none",
        "changed columns": "; ".join(
            f"{each['column']} ({each['before']} to {each['after']})" for each in columns
        )
        or "none",
    }
    headings = ["before", "after", "common rows", "Jaccard index"]
    output.result(found, [rich_table(headings, pairs, title="matched clusters"), facts(content)])
