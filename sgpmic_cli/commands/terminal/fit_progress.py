"""Live progress of one fit on stderr: a bar on a terminal, a few plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sgpmic_cli.commands.terminal.output import Output

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Round

LINES = 10  # of a log, for each restart


@contextmanager
def showing(output: Output) -> Iterator[Callable[["Round"], None] | None]:
    """What a fit calls after each round."""
    if output.quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=output.side_console(), transient=True) as bar:
            task = bar.add_task("starting", total=None)
            yield lambda done: bar.update(
                task, completed=done.number, total=done.rounds, description=f"{_restart(done)}{_state(done)}"
            )
    else:
        yield lambda done: _log(output, done)


def _log(output: Output, done: "Round") -> None:
    passed = done.number * LINES // done.rounds > (done.number - 1) * LINES // done.rounds
    if passed or done.number == 1:
        output.remark(f"{_restart(done)}round {done.number}/{done.rounds}: {_state(done)}")


def _restart(done: "Round") -> str:
    return f"restart {done.restart}/{done.restarts}, " if done.restarts > 1 else ""


def _state(done: "Round") -> str:
    return f"bound {done.bound:.2f}" + ("" if done.acc is None else f", ACC {done.acc:.2f}")
