"""What --help says beside the options: a docstring as paragraphs, and an example or two of what to type."""

import inspect

EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "fit": [
        (
            "sgpmic fit birds.csv",
            "find out how many clusters there are, and what makes each of them",
        ),
        (
            "sgpmic fit birds.csv --clusters 2-8 --id ring",
            "choose among 2 to 8 clusters; a column names the rows",
        ),
        ("sgpmic fit iris --setting paper", "fit the paper's model"),
    ],
    "predict": [
        (
            "sgpmic predict sgpmic-out/fit/birds.csv new.csv",
            "clusters of new rows, from a file as raw as the first",
        ),
    ],
    "plot": [
        ("sgpmic plot figure6", "convergence on six data sets, as in the paper"),
        ("sgpmic plot embedding --data wine", "the latent space of one data set"),
    ],
    "datasets": [
        ("sgpmic datasets list", "what there is"),
        ("sgpmic datasets fetch yale", "download a set that is not bundled"),
    ],
    "benchmark": [
        ("sgpmic benchmark --dataset iris", "all methods on iris, beside the printed numbers"),
        (
            "sgpmic benchmark --dataset mine.csv --label kind --methods sgp-mic,pca-fcm",
            "two methods on your file",
        ),
    ],
    "sweep-clusters": [("sgpmic sweep-clusters --dataset iris --repeats 3", "a quick look")],
    "sweep-inducing": [("sgpmic sweep-inducing --dataset iris --repeats 3", "a quick look")],
    "table1": [("sgpmic table1", "shapes of the data sets beside the printed ones")],
    "report": [("sgpmic report --results results", "the page about what is in results")],
    "check": [("sgpmic check", "recompute the fast cells and compare them with the reference")],
    "info": [("sgpmic info", "versions, paths and data sets, for a bug report")],
}


def flowing(docstring: str | None) -> str:
    """Paragraphs as one line each, which the terminal breaks where it ends, not where the source did."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def epilog(command: str) -> str:
    """The examples of a command, one on each line."""
    return "\n\n".join(
        ["Examples:", *(f"[bold]{line}[/bold]  {what}" for line, what in EXAMPLES[command])]
    )
