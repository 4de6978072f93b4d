"""The ranking of methods over many data sets, for the terminal."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.tables.formats import TITLES
from sgpmic_cli.experiments.tables.ranking import METRIC, ranking

MEANS = 2  # rows at the end


def render_ranking(results: Sequence[Result]) -> Iterator[RenderableType]:
    """The adjusted Rand index of every data set and method, mean, mean rank and critical difference."""
    ranked = ranking(results)
    table = Table(box=box.SIMPLE_HEAD, title=TITLES[METRIC], title_style="bold", pad_edge=False)
    for place, heading in enumerate(ranked.head):
        table.add_column(heading, justify="left" if place == 0 else "right", overflow="fold")
    rows = ranked.rows()
    for place, row in enumerate(rows):
        if place == len(rows) - MEANS:
            table.add_section()
        table.add_row(*map(Text, row))
    yield table
    yield Text(ranked.verdict)
