"""`sgpmic check`: recompute scores and compare them with the reference."""

from typing import TYPE_CHECKING, Any

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output
from sgpmic_cli.errors import SgpmicError

if TYPE_CHECKING:
    import pandas as pd


def check(  # noqa: PLR0913 - one parameter per option
    data: shared.DatasetsArgument = None,
    dataset: str | None = shared.datasets_option("all"),
    *,
    methods: shared.MethodsOption = "all",
    full: bool = shared.flag("Check all cells of the reference, not only the fast ones.", "--full"),
    sample: float | None = shared.option(
        "Check a random fraction of all cells, such as 0.1.", min=0.0, max=1.0, default="fast cells"
    ),
    update: bool = shared.flag("Recompute all cells and write them to the reference.", "--update"),
    n_jobs: shared.Jobs = -1,
    store: shared.StoreOfCheck = None,
    data_dir: shared.DataDir = None,
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
    from sgpmic_cli.commands.output import RunProgress, finish_runs
    from sgpmic_cli.paper.experiments.protocols import REFERENCE, paper_suite

    output = Output(json, quiet)
    datasets = shared.split_list(shared.named_data(data, dataset, "all"))
    reference = gate.read_reference(REFERENCE)
    wanted = gate.select(reference, datasets, shared.split_list(methods))
    progress = RunProgress(output)
    options = RunOptions(store, n_jobs, progress=progress, data_dir=data_dir)
    if update:
        with progress:
            runs = gate.update_reference(REFERENCE, paper_suite(), wanted, options)
        finish_runs(runs, f"scores in {REFERENCE}", output)
        return
    with progress:
        changes = gate.check_scores(paper_suite(), wanted, options, 1.0 if full else sample)
    _print(changes, output)
    if worse := int(changes["state"].isin(gate.BROKEN).sum()):
        raise SgpmicError(f"{worse} of {len(changes)} scores are lower or failed.")
    output.finish("no score is lower than the reference allows")


def _print(changes: "pd.DataFrame", output: Output) -> None:
    """Print the scores that changed and the number of scores in each state."""
    from rich.text import Text

    from sgpmic_cli.benchmark.compare import rows_of
    from sgpmic_cli.benchmark.documents import plain_rows
    from sgpmic_cli.benchmark.gate import BROKEN, State
    from sgpmic_cli.benchmark.render.tables import TITLES, plain, signed
    from sgpmic_cli.commands.output import rich_table

    headings = ["data set", "%", "method", "score", "reference", "now", "diff", "allowed", "state"]
    rows: list[list[Any]] = []
    for change in rows_of(changes[changes["state"] != State.SAME]):
        state = Text(change.state, style="red" if change.state in BROKEN else "")
        if change.reason:
            state.append(f": {change.reason}", style="default")
        place = change.dataset, str(change.explained_variance), change.method
        numbers = [
            plain(change.before_mean, change.before_std),
            plain(change.now_mean, change.now_std),
            signed(change.difference),
            f"{change.allowed:.2f}",
        ]
        rows.append([*place, TITLES[change.metric], *numbers, state])
    left = ["data set", "method", "score", "state"]
    tables = [rich_table(headings, rows, left=left)] if rows else []
    occurring = changes["state"].value_counts()
    counts = {str(state): int(occurring[state]) for state in State if state in occurring}
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    document = {"counts": counts, "changes": plain_rows(changes)}
    output.result(document, [*tables, f"{len(changes)} numbers: {states or 'none'}"])
