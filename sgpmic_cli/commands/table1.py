"""`sgpmic table1`: the data sets beside the paper's Table 1."""

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output


@shared.option_groups
def table1(
    *,
    out: shared.Out = shared.OUTPUT_FOLDER / "table1",
    source: shared.Source,
    output: Output,
) -> None:
    """Compare the shape and the latent dimensions of every data set with the paper's Table 1."""
    from sgpmic_cli.commands.terminal_tables import note, table
    from sgpmic_cli.experiments.studies.table1_study import for_people, shapes, write_table1

    found = shapes(**vars(source))
    write_table1(out, found)
    if output.json:
        output.document({"datasets": found})
        return
    output.show(
        table(*for_people(found), left=("data set", "verdict")),
        "In brackets: the number of the paper, if it differs.",
        *(note(shape["dataset"], shape["note"]) for shape in found if shape["note"]),
    )
    output.finish(f"tables in {out}")
