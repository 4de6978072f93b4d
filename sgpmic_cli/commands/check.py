"""`sgpmic check`: recompute scores and compare them with the reference."""

from pathlib import Path
from typing import TYPE_CHECKING

from typer import Option

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, Progress, finish_runs, rich_table
from sgpmic_cli.errors import SgpmicError

if TYPE_CHECKING:
    import pandas as pd


def check(  # noqa: PLR0913 - one parameter per option
    dataset: shared.Datasets = "all",
    methods: shared.Methods = "all",
    full: bool = Option(False, "--full", help="Check all cells, not only the fast ones."),
    sample: float | None = Option(
        None, min=0.0, max=1.0, help="Check a random fraction of all cells, such as 0.1."
    ),
    update: bool = Option(False, "--update", help="Recompute all cells and write the reference."),
    n_jobs: shared.Jobs = -1,
    store: Path | None = Option(None, help="Folder of stored runs.", show_default="none"),
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Recompute cells with the seeds of the reference and compare the scores.

    The fast cells are those with short runs on bundled data. A mean may fall by one point and two
    standard errors of the ten runs in the reference. Exit codes: 0 no score is lower, 1 a score is
    lower or failed, or nothing was compared, 2 wrong argument.
    """
    from sgpmic_cli.benchmark import gate
    from sgpmic_cli.benchmark.run import RunOptions
    from sgpmic_cli.paper.experiments.protocols import REFERENCE, paper_suite

    output = Output(json, quiet)
    reference = gate.read_reference(REFERENCE)
    wanted = gate.select(reference, shared.split_list(dataset), shared.split_list(methods))
    with Progress(output) as progress:
        options = RunOptions(store, n_jobs, progress=progress)
        if update:
            runs = gate.update_reference(REFERENCE, paper_suite(), wanted, options)
        else:
            changes = gate.check_scores(paper_suite(), wanted, options, 1.0 if full else sample)
    if update:
        finish_runs(runs, f"scores in {REFERENCE}", output)
        return
    _print(changes, output)
    if worse := int(changes["state"].isin(gate.BROKEN).sum()):
        raise SgpmicError(f"{worse} of {len(changes)} scores are lower or failed.")
    output.finish("no score is lower than the reference allows")


def _print(changes: "pd.DataFrame", output: Output) -> None:
    """Print the scores that changed and the number of scores in each state."""
    from sgpmic_cli.benchmark.compare import rows_of
    from sgpmic_cli.benchmark.documents import plain_rows
    from sgpmic_cli.benchmark.gate import State
    from sgpmic_cli.benchmark.render.tables import TITLES, plain, signed

    headings = ["data set", "%", "method", "score", "reference", "now", "diff", "allowed", "state"]
    rows = [
        [
            *(change.dataset, str(change.explained_variance), change.method, TITLES[change.metric]),
            plain(change.before_mean, change.before_std),
            plain(change.now_mean, change.now_std),
            *(signed(change.difference), f"{change.allowed:.2f}"),
            f"{change.state}: {change.reason}".removesuffix(": "),
        ]
        for change in rows_of(changes[changes["state"] != State.SAME])
    ]
    counts = {str(name): int(n) for name, n in changes["state"].value_counts().items()}
    table = rich_table(headings, rows, left=["data set", "method", "score", "state"])
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    found = f"{len(changes)} numbers: {states}"
    output.result(
        {"counts": counts, "changes": plain_rows(changes)}, [table, found] if rows else [found]
    )
