"""Live progress of one fit on stderr: one bar over all restarts on a terminal, a line every ten seconds elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sgpmic_cli.commands.terminal.heartbeat import beating
from sgpmic_cli.commands.terminal.output import Output

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Round

BEFORE = "looking for where to start"  # the number of clusters, and the clusterings that a fit begins with


@contextmanager
def showing(output: Output) -> Iterator[Callable[["Round"], None] | None]:
    """What a fit calls after each round."""
    if output.quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left at most"),  # a fit that converges ends before its last round
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=output.side_console(), transient=True) as bar:
            task = bar.add_task(BEFORE, total=None)
            yield lambda done: bar.update(
                task,
                completed=(done.restart - 1) * done.rounds + done.number,
                total=done.restarts * done.rounds,
                description=_state(done),
            )
    else:
        said = BEFORE

        def hear(done: "Round") -> None:
            nonlocal said
            first, said = said == BEFORE, _state(done)
            if first:
                output.remark(said)

        with beating(output, lambda: said):
            yield hear


def _state(done: "Round") -> str:
    restart = f"restart {done.restart}/{done.restarts}, " if done.restarts > 1 else ""
    acc = "" if done.acc is None else f", ACC {done.acc:.2f}"
    return f"{restart}round {done.number}/{done.rounds}: bound {done.bound:.2f}{acc}"
