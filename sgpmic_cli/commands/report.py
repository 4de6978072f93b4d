"""`sgpmic report`: write the HTML report of a benchmark."""

from pathlib import Path

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.text import for_terminal


def report(
    results: Path = shared.option(
        "Folder of a benchmark, or of the paper's table2 and figures.", value=Path("results")
    ),
    printed: Path | None = shared.option(
        "CSV file of printed numbers.", default="those of the paper"
    ),
    out: Path = shared.option(
        "The HTML file to write.", value=shared.OUTPUT_FOLDER / "report.html"
    ),
) -> None:
    """Write one HTML page with the table of a benchmark, its verdicts and significance.

    The page reads what `sgpmic benchmark --out RESULTS` wrote. It computes nothing and needs no
    network. If RESULTS contains `table2`, the page is about the paper, with the figures of
    `sgpmic plot --out RESULTS/figures` and its protocol. A file of printed numbers has the columns
    method, dataset, metric, mean, std, repeats and, if rows differ by it, variance.
    """
    from sgpmic_cli.files.atomic import refuse_replacing, write_whole
    from sgpmic_cli.paper.page import report_page

    tables = (path for path in results.glob("*") if path.suffix != ".html")
    inputs = [*tables, *results.glob("*/*"), *([printed] if printed else [])]
    refuse_replacing(out, inputs)
    write_whole(out, report_page(results, printed))
    print(for_terminal(str(out)))
