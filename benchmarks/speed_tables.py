"""Tables and numbers of the documents from the measurements of speed."""

from collections.abc import Callable
from typing import Any

from sgpmic_cli.benchmark.render.tables import markdown_table

Document = dict[str, Any]


def files(measured: Document) -> str:
    """Return time and memory of fits and predictions of files."""
    form = "{0[%s_seconds]:.0f} s, {0[%s_gb]:.2f} GB"
    body = [
        [f"{row['n']:,}", *((form % (work, work)).format(row) for work in ("fit", "predict"))]
        for row in measured["streamed"]
    ]
    return markdown_table(["rows", "`fit`", "`predict`"], body)


def threads(measured: Document) -> str:
    """Return times with one thread and with two."""
    body = []
    for row in measured["threads"]:
        one, two = row["ms"]["1"] / 1e3, row["ms"]["2"] / 1e3
        name = f"{row['work']}, {row['setting']} model"
        body.append([name, f"{one:#.2g} s", f"{two:#.2g} s", f"{one / two:.2f}"])
    return markdown_table(["100,000 rows", "one thread", "two threads", "ratio"], body)


def whole_fits(measured: Document) -> str:
    """Return milliseconds of whole fits of one component beside other libraries."""
    names = {"ours": "ours", "gpy": "GPy", "gpytorch": "GPyTorch"}
    body = [
        [row["name"], *(f"{row['ms'][key]:.0f}" if key in row["ms"] else "" for key in names)]
        for row in measured["whole_fits"]
    ]
    return markdown_table(["size of", *names.values()], body)


def ways(measured: Document) -> str:
    """Return processor seconds of a fit from file to page beside two scripts."""
    body = []
    for row in measured["rows"]:
        ours = row["sgpmic"]
        times = [f"{ours[name]:.1f} s" for name in ("seconds", "first_answer")]
        times += [
            "over " * ("stopped" in row[script]) + f"{row[script]['seconds']:.1f} s"
            for script in ("umap_hdbscan", "k_means_silhouettes")
        ]
        body.append([f"{row['n']:,}", *times])
    head = ["rows", "`sgpmic fit`", "its first answer", "UMAP, HDBSCAN", "k-means, silhouettes"]
    return markdown_table(head, body)


TABLES: dict[str, tuple[Callable[..., str], list[str]]] = {
    "files": (files, ["speed.json"]),
    "threads": (threads, ["speed.json"]),
    "fits": (whole_fits, ["speed.json"]),
    "ways": (ways, ["speed-end-to-end.json"]),
}


def numbers(measured: Document) -> dict[str, str]:
    """Return single numbers of the measurements by name."""
    sizes = {row["name"]: row["ms"] for row in measured["sizes"]}
    beside_gpy = [ms["one"] / ms["gpy"] for ms in sizes.values()]
    (paper,) = [row for row in measured["streamed"] if "paper_fit_seconds" in row]
    return {
        "growth": f"{measured['growth']['exponent']:.2f}",
        "segment": f"{sizes['segment']['all'] / sizes['segment']['one']:.1f}",
        "yale": f"{sizes['yale']['all'] / sizes['yale']['one']:.1f}",
        "beside-gpy": f"{min(beside_gpy):.2f} to {max(beside_gpy):.2f}",
        "paper": f"{paper['paper_fit_seconds'] / 60:.1f} minutes, {paper['paper_fit_gb']:.1f} GB",
    }
