"""Output of a command: the result on stdout, notes and progress on stderr."""

import json
import sys
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from rich import box
from rich import progress as bars
from rich.console import Console, JustifyMethod, RenderableType
from rich.segment import Segments
from rich.table import Table
from rich.text import Text

from sgpmic_cli.commands.shared_options import Json, Quiet
from sgpmic_cli.errors import CellsFailed
from sgpmic_cli.text import for_html, for_terminal

if TYPE_CHECKING:
    from sgpmic_cli.benchmark.run import Runs

WIDTH_WITHOUT_TERMINAL = 140  # a pipe or a file has no width
LINE_SECONDS = 10.0  # between two lines of progress
RETRY = "the notes say why, and --retry-failed runs them again"
SPEED_SECONDS = 120  # the time left is estimated from the speed in this period


@dataclass
class Output:
    """The streams of a command, which prints tables or one JSON document."""

    json: Json = False
    quiet: Quiet = False
    verbose = False  # print every step of the progress

    def __post_init__(self) -> None:
        self._start = time.monotonic()
        self._warnings: set[str] = set()
        warnings.showwarning = self._show_warning
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # for terminals whose encoding lacks ±

    def console(self, *, stderr: bool = False) -> Console:
        """Return a console for results (stdout) or for progress (stderr)."""
        stream = sys.stderr if stderr else sys.stdout
        width = None if stream.isatty() else WIDTH_WITHOUT_TERMINAL
        # No markup: names from files may contain [ ].
        return Console(stderr=stderr, width=width, highlight=False, soft_wrap=False, markup=False)

    def result(self, document: Mapping[str, Any], parts: Iterable[RenderableType]) -> None:
        """Print the document with `--json`, otherwise the parts; escape control characters."""
        if self.json:
            text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
            # JSON allows control characters above U+007F, which some terminals obey.
            safe = (c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
            print("".join(safe))
            return
        console = self.console()
        for renderable in parts:
            segments = console.render(renderable)
            console.print(Segments(part._replace(text=for_html(part.text)) for part in segments))

    def try_result(
        self, document: Mapping[str, Any], parts: Iterable[RenderableType]
    ) -> BaseException | None:
        """Print a result, and return the error if stdout is closed or full.

        The caller raises the error after it has written its files.
        """
        try:
            self.result(document, parts)
        except (OSError, SystemExit) as error:  # Rich exits if the reader of a pipe has closed it
            return error
        return None

    def note(self, sentence: str) -> None:
        """Print a line on stderr unless the command is quiet."""
        if not self.quiet:
            with suppress(OSError):  # stderr may be closed
                print(for_terminal(sentence), file=sys.stderr, flush=True)

    def _show_warning(self, message: Warning | str, *_where: object, **_source: object) -> None:
        """Print a warning of Python once, without the place in the code."""
        if str(message) not in self._warnings:
            self._warnings.add(str(message))
            self.note(f"note: {message}")

    def finish(self, sentence: str) -> None:
        """Print what was done and how long the command took."""
        self.note(f"{sentence}; {duration(time.monotonic() - self._start)}")


def duration(seconds: float) -> str:
    """Format a duration, for example as "1 min 20 s"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def rich_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    title: str | None = None,
    left: Sequence[str] = (),
) -> Table:
    """Return a table; columns are right-aligned unless their heading is in `left`."""
    content = Table(box=box.SIMPLE_HEAD, title=title, title_style="bold", pad_edge=False)
    for heading in headings:
        justify: JustifyMethod = "left" if heading in left else "right"
        content.add_column(heading, justify=justify, overflow="fold")
    for row in rows:
        content.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return content


def facts(content: Mapping[str, str]) -> Table:
    """Return a table with a name and a value on each line."""
    names = Table(box=None, show_header=False, pad_edge=False)
    names.add_column(style="bold", no_wrap=True)
    names.add_column(overflow="fold")
    for name, value in content.items():
        names.add_row(name, Text(value))
    return names


def note(name: str, sentence: str) -> Text:
    """Return a sentence about something, with its name in bold."""
    return Text.assemble((f"{name}: ", "bold"), sentence)


def value_text(value: Any, separator: str = "\n") -> str:
    """Format a plain value, with one line for each entry of a dict or a list."""
    if isinstance(value, dict):
        return (
            separator.join(f"{name}: {value_text(entry)}" for name, entry in value.items()) or "–"
        )
    if isinstance(value, list | tuple):
        return separator.join(value_text(entry, ", ") for entry in value) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value in (None, "") else str(value)


def score_facts(scores: Mapping[str, float] | None) -> dict[str, str]:
    """Return the scores as facts, with ACC and Hungarian ACC on one line."""
    if scores is None:
        return {}
    from sgpmic_cli.scores import SCORES

    lines: dict[str, list[str]] = {}
    for name, score in SCORES.items():
        meaning = f" ({score.meaning})" if score.meaning else ""
        lines.setdefault(score.title.split()[-1], []).append(f"{scores[name]:.2f}{meaning}")
    return {title: "; ".join(values) for title, values in lines.items()}


class Progress:
    """The step of a command: a bar on a terminal, otherwise a line every ten seconds."""

    def __init__(self, output: Output, text: str = "initialising the fit"):
        self.output, self._next_line = output, time.monotonic() + LINE_SECONDS
        lines = output.quiet or output.verbose or not sys.stderr.isatty()
        self._bar = bars.Progress(
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.TimeElapsedColumn(),
            bars.TextColumn("left at most"),  # a fit that converges ends before its last iteration
            bars.TimeRemainingColumn(),
            console=output.console(stderr=True),
            transient=True,
            speed_estimate_period=SPEED_SECONDS,
            disable=lines,
        )
        self._task = self._bar.add_task(text, total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._bar.stop()

    def __call__(self, done: int | None, total: int | None, step: str) -> None:
        """Show how much of a step is done, and how much there is."""
        self._bar.update(self._task, description=step, completed=done, total=total)
        if self._bar.disable and (self.output.verbose or time.monotonic() >= self._next_line):
            self._next_line = time.monotonic() + LINE_SECONDS
            self.output.note(step)


class RunProgress(Progress):
    """Progress of an experiment in runs."""

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        """End the display; after an interrupt, say how to resume the work."""
        super().__exit__(kind, *error)
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            raise KeyboardInterrupt(
                "interrupted; finished runs are stored, and the same command resumes the work."
            ) from None

    def __call__(self, done: int | None, total: int | None, step: str) -> None:
        """Show the number of finished runs and the last of them."""
        super().__call__(done, total, f"{done} of {total} runs done: {step}")


def finish_runs(runs: "Runs", written: str, output: Output) -> None:
    """Print how many runs were computed and what was written; raise CellsFailed if some failed."""
    output.finish(f"{runs.computed} runs computed, {runs.reused} reused; {written}")
    if runs.failed:
        total = runs.computed + runs.reused
        raise CellsFailed(f"{runs.failed} of {total} runs failed; {RETRY}.")


def print_plan(runs: "Runs", output: Output, parameter: str = "") -> None:
    """Print the runs of each cell and how many of them are stored; a sweep varies `parameter`."""
    to_run = len(runs.pending)
    stored = len(runs.distinct) - to_run
    cells: list[dict[str, Any]] = []
    for number, of_cell in runs.frame.groupby("cell"):
        cell = runs.cells[int(str(number))]
        cells.append(
            {
                "dataset": cell.dataset,
                "variance": cell.explained_variance,
                "q": cell.q,
                "method": cell.method.name,
                **({parameter: cell.parameter(parameter)} if parameter else {}),
                "runs": int((of_cell["status"] != "unavailable").sum()),
                "at_hand": int(of_cell["status"].isin(["ok", "failed"]).sum()),
                "note": cell.reason,
            }
        )
    titles = {"dataset": "data set", "at_hand": "stored"}
    headings = [titles.get(name, name) for name in cells[0]] if cells else []
    rows = [[value_text(value) for value in cell.values()] for cell in cells]
    document = {"to_run": to_run, "at_hand": stored, "cells": cells}
    output.result(document, [rich_table(headings, rows, left=("data set", "method", "note"))])
    output.note(f"{to_run} runs to compute, {stored} stored; equal runs are computed once")
