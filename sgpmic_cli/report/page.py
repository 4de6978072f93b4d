"""The report: one HTML page that needs nothing but itself."""

from pathlib import Path

from sgpmic_cli.report.document import document
from sgpmic_cli.report.environment import environment
from sgpmic_cli.report.gallery import gallery
from sgpmic_cli.report.grid import grid
from sgpmic_cli.report.protocol import protocol
from sgpmic_cli.report.ranks import ranks
from sgpmic_cli.report.results import read_folder
from sgpmic_cli.report.summary import summary, takeaway

TITLE = "SGP-MIC reproduced: every printed number beside ours"
SECTIONS = {
    "summary": "Summary",
    "table2": "Table 2",
    "figures": "Figures",
    "significance": "Significance",
    "protocol": "Protocol and slips",
    "environment": "Environment",
}


def page(folder: Path) -> str:
    """The page about the results in a folder."""
    results = read_folder(folder)
    return document(
        TITLE,
        f"{takeaway(results)} The clustering experiments of “Clustering based on Mixtures of Sparse Gaussian "
        "Processes” (arXiv 2303.13665), run again: what came out, what was printed, and how the two compare.",
        SECTIONS,
        [
            summary(results),
            grid(results),
            gallery(results),
            ranks(results),
            protocol(results),
            environment(results),
        ],
        script="details.js",
    )
