"""`sgpmic report`: write the HTML report of a benchmark."""

from pathlib import Path
from typing import Annotated

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.safe_text import for_terminal


def report(
    results: Annotated[
        Path, shared.option("Folder of a benchmark, or of the paper's table2 and figures.")
    ] = Path("results"),
    printed: Annotated[
        Path | None,
        shared.option("CSV file of printed numbers.", default="those of the paper"),
    ] = None,
    out: Annotated[
        Path | None, shared.option("The HTML file to write.", default="sgpmic-out/report.html")
    ] = None,
) -> None:
    """Write one HTML page with the table of a benchmark, its verdicts and significance.

    The page reads what `sgpmic benchmark --out RESULTS` wrote. It computes nothing and needs no
    network. If RESULTS contains `table2`, the page is about the paper, with the figures of
    `sgpmic plot --out RESULTS/figures` and its protocol. A file of printed numbers has the columns
    method, dataset, metric, mean, std, repeats and, if rows differ by it, variance.
    """
    from sgpmic_cli.files.atomic import refuse_replacing, write_whole
    from sgpmic_cli.report.table2_page import table2_page

    target = out if out is not None else shared.OUTPUT_FOLDER / "report.html"
    inputs = [*results.glob("*.json"), *results.glob("*/*"), *([printed] if printed else [])]
    refuse_replacing(target, inputs)
    write_whole(target, table2_page(results, printed))
    print(for_terminal(str(target)))
