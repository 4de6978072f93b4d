"""Live progress of one fit, or of placing rows, on stderr: a bar on a terminal, a few plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sgpmic_cli.commands.terminal.output import Output

if TYPE_CHECKING:
    from sgpmic_cli.single_fit.fitting import Placing, Round

LINES = 10  # of a log, for each restart
FEW = 100_000  # rows are placed without a word; of a file whose end is not known, a line comes whenever they double


@contextmanager
def showing(output: Output) -> Iterator[Callable[["Round | Placing"], None] | None]:
    """What a fit calls after each round, and for each block of rows that are placed."""
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
            yield lambda done: bar.update(task, **_bar(done))
    else:
        yield _Log(output)


class _Log:
    """A few lines about work that may take long."""

    def __init__(self, output: Output):
        self.output = output
        self.next_rows = FEW

    def __call__(self, done: "Round | Placing") -> None:
        from sgpmic_cli.single_fit.fitting import Placing

        if isinstance(done, Placing):
            if done.done >= self.next_rows:
                self.output.remark(f"placed {done.done}{'' if done.rows is None else f' of {done.rows}'} rows")
                step = done.done if done.rows is None else max(FEW, done.rows // LINES)
                self.next_rows = done.done + step
            return
        passed = done.number * LINES // done.rounds > (done.number - 1) * LINES // done.rounds
        if passed or done.number == 1:
            self.output.remark(f"{_restart(done)}round {done.number}/{done.rounds}: {_state(done)}")


def _bar(done: "Round | Placing") -> dict[str, Any]:
    from sgpmic_cli.single_fit.fitting import Placing

    if isinstance(done, Placing):
        return {"completed": done.done, "total": done.rows, "description": "placing rows"}
    return {"completed": done.number, "total": done.rounds, "description": f"{_restart(done)}{_state(done)}"}


def _restart(done: "Round") -> str:
    return f"restart {done.restart}/{done.restarts}, " if done.restarts > 1 else ""


def _state(done: "Round") -> str:
    return f"bound {done.bound:.2f}" + ("" if done.acc is None else f", ACC {done.acc:.2f}")
