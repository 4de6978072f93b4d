"""Help texts of the commands: paragraphs from docstrings, and examples."""

import inspect

import typer

EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "fit": [
        ("sgpmic fit birds.csv", "choose the number of clusters and describe each cluster"),
        ("sgpmic fit birds.csv --clusters 2-8 --id ring", "try 2 to 8 clusters; name rows by ring"),
        ("sgpmic fit iris --setting paper", "fit the paper's model"),
    ],
    "predict": [("sgpmic predict sgpmic-out/fit/birds new.csv", "assign the rows of a new file")],
    "update": [("sgpmic update sgpmic-out/fit/birds new.csv", "add the rows of a new file")],
    "diff": [("sgpmic diff sgpmic-out/fit/birds sgpmic-out/update/new", "say what has changed")],
    "plot": [
        ("sgpmic plot figure6", "draw the paper's figure 6, convergence on six data sets"),
        ("sgpmic plot embedding --data wine", "draw the latent space of one data set"),
    ],
    "datasets": [
        ("sgpmic datasets list", "list all data sets"),
        ("sgpmic datasets fetch yale", "download a data set that is not bundled"),
    ],
    "benchmark": [
        ("sgpmic benchmark --dataset iris", "run all methods on iris"),
        ("sgpmic benchmark my.csv --label y --methods sgp-mic,pca-fcm", "run two on a file"),
    ],
    "sweep-clusters": [("sgpmic sweep-clusters iris --repeats 3", "run a short sweep on iris")],
    "sweep-inducing": [("sgpmic sweep-inducing iris --repeats 3", "run a short sweep on iris")],
    "table1": [("sgpmic table1", "compare the shapes of the data sets with the paper's")],
    "report": [("sgpmic report --results results", "write the page about the folder results")],
    "check": [("sgpmic check", "recompute the fast cells and compare them with the reference")],
    "info": [("sgpmic info", "print versions, paths and data sets for a bug report")],
}


def paragraphs(docstring: str | None) -> str:
    """Join the lines of each paragraph, so that the terminal wraps the text."""
    parts = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in parts)


def epilog(command: str) -> str:
    """Return the examples of a command, one per paragraph."""
    lines = (f"[bold]{line}[/bold]  {meaning}" for line, meaning in EXAMPLES[command])
    return "\n\n".join(["Examples:", *lines])


def print_help(context: typer.Context) -> None:
    """Print the help of a group that is called without a subcommand."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit
