"""`sgpmic check`: recompute scores and compare them with the reference."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output
from sgpmic_cli.errors import SgpmicError, UsageError

if TYPE_CHECKING:
    import pandas as pd


@shared.option_groups
def check(  # noqa: PLR0913 - one parameter per option
    data: shared.DatasetsArgument = None,
    dataset: str | None = shared.datasets_option("all"),
    *,
    methods: shared.MethodsOption = "all",
    full: bool = shared.flag("Check all cells of the reference, not only the fast ones.", "--full"),
    update: bool = shared.flag("Recompute the cells and write them to the reference.", "--update"),
    reference: Path | None = shared.option(
        "The reference file.", default="the one installed with sgpmic"
    ),
    label: shared.LabelOfFile = None,
    repeats: int | None = shared.count(
        "Runs of each method on each data set.",
        default="3; the number of the reference with --full or --update",
    ),
    n_jobs: shared.Jobs = -1,
    store: Path | None = shared.option("Folder of run records to reuse.", default="none"),
    data_dir: shared.DataDir = None,
    output: Output,
) -> None:
    """Recompute cells with the seeds of the reference and compare the scores.

    Data sets and methods are those of the reference; --update can add others. A mean may fall by
    one point, or as far as a paired t test over the seeds allows at the 5 % level. Where the
    reference has the scores of two processors, a mean between them is allowed. Exit codes: 0 no
    score is lower, 1 a score is lower, failed or missing, or nothing was compared, 2 wrong
    argument, 3 some runs of an update failed.
    """
    from sgpmic_cli.benchmark import gate
    from sgpmic_cli.benchmark.reference import (
        BROKEN,
        COMPARED,
        PLACE,
        read_reference,
        write_reference,
    )
    from sgpmic_cli.benchmark.run import RunOptions
    from sgpmic_cli.commands.output import RunProgress, finish_runs
    from sgpmic_cli.files import check_writable
    from sgpmic_cli.paper.experiments.protocols import INSTALLED, REFERENCE, paper_suite

    path = REFERENCE if reference is None else reference
    if update and path == INSTALLED:
        raise UsageError(
            "--update needs --reference FILE: the installed reference cannot be changed."
        )
    if label is not None and not update:
        raise UsageError(f"--label {label} needs --update: a reference stores its label columns.")
    datasets = shared.split_list(shared.named_data(data, dataset, "all"))
    selection = gate.CellSelection(tuple(datasets), tuple(shared.split_list(methods)))
    progress = RunProgress(output)
    options = RunOptions(store=store, n_jobs=n_jobs, watcher=progress, data_dir=data_dir)
    old = None if update and not path.exists() else read_reference(path)
    if update:
        check_writable(path.parent, "--reference")
        with progress:
            renewed, changes, finished = gate.update_reference(
                paper_suite(), old, selection, options, repeats=repeats, label=label
            )
        write_reference(path, renewed)
        _print(changes, output)
        advice = "a cell in which all runs failed keeps its old scores"
        cells = len(renewed.scores.drop_duplicates(PLACE))
        finish_runs(finished, f"{cells} cells in {path}", output, advice)
        return
    assert old is not None
    with progress:
        changes = gate.check_cells(
            paper_suite(), old, selection, options, full=full, repeats=repeats
        )
    _print(changes, output)
    if worse := int(changes["state"].isin(BROKEN).sum()):
        raise SgpmicError(f"{worse} of {len(changes)} scores are lower, failed or missing.")
    if not changes["state"].isin(COMPARED).any():
        raise SgpmicError(
            f"nothing was compared: --dataset, --methods and --full select no cell of '{path}'."
        )
    output.finish(f"no score is lower than {path} allows")


def _print(changes: "pd.DataFrame", output: Output) -> None:
    """Print the scores that changed and the number of scores in each state."""
    from rich.text import Text

    from sgpmic_cli.benchmark.compare import rows_of
    from sgpmic_cli.benchmark.reference import BROKEN, State
    from sgpmic_cli.benchmark.render.tables import TITLES, digits, plain, signed
    from sgpmic_cli.commands.output import rich_table

    headings = ["data set", "%", "method", "score", "reference", "now", "diff", "allowed", "state"]
    rows: list[list[str | Text]] = []
    for change in rows_of(changes[changes["state"] != State.SAME]):
        state = Text(change.state, style="red" if change.state in BROKEN else "")
        if change.reason:
            state.append(f": {change.reason}", style="default")
        numbers = [
            plain(change.before_mean, change.before_std),
            plain(change.now_mean, change.now_std),
            signed(change.difference),
            digits(change.tolerance, 2),
        ]
        place = change.dataset, str(change.explained_variance), change.method
        rows.append([*place, TITLES[change.metric], *numbers, state])
    tables = (
        [rich_table(headings, rows, left=["data set", "method", "score", "state"])] if rows else []
    )
    occurring = changes["state"].value_counts()
    counts = {str(state): int(occurring[state]) for state in State if state in occurring}
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    document = {"counts": counts, "changes": [_document(row) for row in rows_of(changes)]}
    output.result(document, [*tables, f"{len(changes)} numbers: {states or 'none'}"])


def _document(change: Any) -> dict[str, Any]:
    """Return a change as it is in the JSON document."""
    from sgpmic_cli.benchmark.documents import plain_values

    names = ("dataset", "method", "metric", "state", "reason", "tolerance", "difference")
    return {
        **plain_values({name: getattr(change, name) for name in names}),
        "variance": change.explained_variance,
        "before": plain_values({"mean": change.before_mean, "std": change.before_std}),
        "now": plain_values({"mean": change.now_mean, "std": change.now_std}),
    }
