"""A progress bar for `verbose=True` on a terminal or in a notebook."""

from collections.abc import Callable
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from sgpmic_cli._typing import Indices


class ProgressBar:
    """A callback of a fit that shows its steps, and passes them on to the callback of the user."""

    def __init__(self, user: Callable[[int, float, Indices], None] | None, max_iter: int):
        self.user, self.max_iter = user, max_iter
        columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
        console = Console()
        self.is_visible = console.is_terminal or console.is_jupyter
        self.bar = Progress(*columns, console=console, disable=not self.is_visible)
        self.task = self.bar.add_task("GroupMap", total=None)

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.stop()

    def started(self, step: str) -> None:
        """Show a step of unknown length."""
        self.bar.reset(self.task, total=None, start=True, description=f"GroupMap: {step}")
        self._pass_on("started", step)

    def __call__(self, iteration: int, bound: float, labels: Indices) -> None:
        """Show an iteration."""
        text = f"GroupMap: iteration {iteration}/{self.max_iter}, bound {bound:.2f}"
        self.bar.update(self.task, completed=iteration, total=self.max_iter, description=text)
        if self.user is not None:
            self.user(iteration, bound, labels)

    def assigned(self, done: int, rows: int) -> None:
        """Show the rows that are assigned after a fit to a subsample."""
        text = f"GroupMap: assigned {done:,} of {rows:,} rows"
        self.bar.update(self.task, completed=done, total=rows, description=text)
        self._pass_on("assigned", done, rows)

    def _pass_on(self, name: str, *values: Any) -> None:
        method = getattr(self.user, name, None)
        if method is not None:
            method(*values)
