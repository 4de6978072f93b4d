"""`sgpmic table1`: the data sets beside the paper's Table 1."""

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.commands.terminal.output import Output


def table1(
    out: shared_options.Out = shared_options.EXPLORED / "table1",
    data_dir: shared_options.DataDir = None,
    mirror: shared_options.Mirror = None,
    offline: shared_options.Offline = False,
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Put the shape of every data set, and its latent dimensions, beside those the paper prints."""
    from sgpmic_cli.experiments.studies.table1 import for_people, shapes, write_table1

    output = Output(as_json=json, quiet=quiet)
    found = shapes(data_dir=data_dir, mirror=mirror, offline=offline)
    write_table1(out, found)
    if json:
        output.document({"datasets": [shape.document() for shape in found]})
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    head, body = for_people(found)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in head:
        table.add_column(heading, justify="left" if heading in ("data set", "verdict") else "right")
    for row in body:
        table.add_row(*map(Text, row))
    console = output.console()
    console.print(table)
    console.print("In brackets: what the paper prints, where it is another.", markup=False)
    for shape in found:
        if shape.note:
            console.print(Text.assemble((f"{shape.name}: ", "bold"), shape.note))
    output.ending(f"tables in {out}")
