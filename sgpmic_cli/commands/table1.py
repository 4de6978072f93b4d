"""`sgpmic table1`: the data sets beside the paper's Table 1."""

from pathlib import Path

from sgpmic_cli.commands import _options
from sgpmic_cli.commands._output import Output


def table1(
    out: _options.Out = Path("results/table1"),
    data_dir: _options.DataDir = None,
    mirror: _options.Mirror = None,
    offline: _options.Offline = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Put the shape of every data set, and its latent dimensions, beside those the paper prints."""
    from sgpmic_cli.experiments.table1 import for_people, shapes, write_table1

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
    output.remark(f"tables in {out}")
