"""Live progress of a fit, or of placing rows, on stderr: one bar on a terminal, a line every ten seconds elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.commands.terminal.progress.heartbeat import beating

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Placing, Round

STARTING = "looking for where to start"  # the number of clusters, and the clusterings that a fit begins with


@contextmanager
def showing(
    output: Output, before: str = STARTING
) -> Iterator[Callable[["Round | Placing"], None] | None]:
    """What is called after each round, and for each block of rows that are placed; until then it shows `before`."""
    if output.quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left at most"),  # a fit that converges ends before its last round
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=output.side_console(), transient=True) as bar:
            task = bar.add_task(before, total=None)
            yield lambda done: bar.update(task, **_reached(done), description=_state(done))
    else:
        said = before

        def hear(done: "Round | Placing") -> None:
            nonlocal said
            first, said = said == before, _state(done)
            if first and before == STARTING:  # the first round comes after what takes longest
                output.remark(said)

        with beating(output, lambda: said):
            yield hear


def _reached(done: "Round | Placing") -> dict[str, Any]:
    from sgpmic_cli.single_fit.fitting import Placing

    if isinstance(done, Placing):
        return {"completed": done.done, "total": done.rows}
    return {
        "completed": (done.restart - 1) * done.rounds + done.number,
        "total": done.restarts * done.rounds,
    }


def _state(done: "Round | Placing") -> str:
    from sgpmic_cli.single_fit.fitting import Placing

    if isinstance(done, Placing):
        return f"placed {done.done}{'' if done.rows is None else f' of {done.rows}'} rows"
    restart = f"restart {done.restart}/{done.restarts}, " if done.restarts > 1 else ""
    acc = "" if done.acc is None else f", ACC {done.acc:.2f}"
    return f"{restart}round {done.number}/{done.rounds}: bound {done.bound:.2f}{acc}"
