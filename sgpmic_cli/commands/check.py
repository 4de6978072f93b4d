"""`sgpmic check`: recompute scores and compare them with the reference."""

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output
from sgpmic_cli.errors import SgpmicError, UsageError

if TYPE_CHECKING:
    from sgpmic_cli.benchmark.studies.reference import Change


@shared.option_groups
def check(  # noqa: PLR0913 - one parameter per option
    data: shared.DatasetsArgument = None,
    dataset: str | None = shared.datasets_option("all"),
    *,
    methods: shared.Methods = "all",
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
    junit: Path | None = shared.option(
        "Also write the result as JUnit XML to this file.", default="none"
    ),
    annotations: bool = shared.flag(
        "Also print failures on stderr as GitHub annotations.", "--annotations"
    ),
    source: shared.SourceOptions,
    output: Output,
) -> None:
    """Recompute cells with the seeds of the reference and compare the scores.

    Data sets and methods are those of the reference; --update can add others. A mean may fall by
    max(1, 3 s / sqrt n), with the standard deviation s of the reference and n repeats. Exit codes:
    0 no score is lower, 1 a score is lower, failed or missing, or nothing was compared, 2 wrong
    argument, 3 some runs of an update failed.
    """
    from sgpmic_cli.benchmark.run.pipeline import RunOptions
    from sgpmic_cli.benchmark.studies import reference as gate
    from sgpmic_cli.benchmark.studies import regression_gate
    from sgpmic_cli.commands.progress import RunProgress, finish_runs
    from sgpmic_cli.files.atomic import refuse_replacing, write_whole
    from sgpmic_cli.files.output_folder import check_writable

    path = reference if reference is not None else gate.DEFAULT_PATH
    if update and path == gate.INSTALLED:
        raise UsageError(
            "--update needs --reference FILE: the installed reference cannot be changed."
        )
    if label is not None and not update:
        raise UsageError(f"--label {label} needs --update: a reference stores its label columns.")
    if junit is not None and update:
        raise UsageError("--junit cannot be used with --update, which compares nothing.")
    datasets = shared.split_list(shared.one_of(data, dataset, "all"))
    selection = regression_gate.Selection(tuple(datasets), tuple(shared.split_list(methods)))
    progress = RunProgress(output)
    options = RunOptions(store=store, n_jobs=n_jobs, watcher=progress, **vars(source))
    old = None if update and not path.exists() else gate.read_reference(path)
    if update:
        refuse_replacing(path, selection.datasets)
        check_writable(path.parent, "--reference")
        with progress:
            renewed, changes, finished = regression_gate.update(
                old, selection, options, repeats=repeats, label=label
            )
        gate.write_reference(path, renewed)
        _print(changes, output)
        advice = "a cell in which all runs failed keeps its old scores"
        finish_runs(finished, f"{len(renewed.cells)} cells in {path}", output, advice)
        return
    assert old is not None
    if junit is not None:
        refuse_replacing(junit, [path, *(file.path for file in old.files.values())])
        if junit.exists() and junit.suffix != ".xml":
            raise UsageError(f"'{junit}' exists and is not an XML file: name another file.")
        check_writable(junit.parent, "--junit")
    with progress:
        changes = regression_gate.check(old, selection, options, full=full, repeats=repeats)
    _print(changes, output)
    if junit is not None:
        write_whole(junit, gate.junit(changes))
    if annotations:
        print(*gate.annotations(changes), sep="\n", file=sys.stderr)
    if worse := gate.broken(changes):
        raise SgpmicError(f"{len(worse)} of {len(changes)} scores are lower, failed or missing.")
    if not gate.compared(changes):
        raise SgpmicError(
            f"nothing was compared: --dataset, --methods and --full select no cell of '{path}'."
        )
    output.finish(f"no score is lower than {path} allows")


def _print(changes: "list[Change]", output: Output) -> None:
    """Print the scores that changed and the number of scores in each state."""
    from rich.text import Text

    from sgpmic_cli.benchmark.studies.reference import State
    from sgpmic_cli.benchmark.tables.formats import TITLES, digits, plain, signed
    from sgpmic_cli.commands.terminal_tables import table

    found = Counter(change.state for change in changes)
    counts = {str(state): found[state] for state in State if found[state]}
    styles = {State.DOWN: "red", State.FAILED: "bold red", State.MISSING: "red"}
    headings = ["data set", "%", "method", "score", "reference", "now", "diff", "allowed", "state"]
    rows: list[list[str | Text]] = []
    for change in changes:
        if change.state is not State.SAME:
            name, variance, method = change.place
            state = Text(change.state, style=styles.get(change.state, ""))
            if change.reason:
                state.append(f": {change.reason}", style="default")
            numbers = [plain(change.before), plain(change.now), signed(change.difference)]
            numbers.append(digits(change.tolerance, 2))
            rows.append([name, str(variance), method, TITLES[change.metric], *numbers, state])
    tables = [table(headings, rows, left=["data set", "method", "score", "state"])] if rows else []
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    document = {"counts": counts, "changes": [change.document() for change in changes]}
    output.result(document, [*tables, f"{len(changes)} numbers: {states or 'none'}"])
