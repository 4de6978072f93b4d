"""Output of a command: the result on stdout, notes and progress on stderr."""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich import progress as bars
from rich.console import Console, JustifyMethod, RenderableType
from rich.segment import Segments
from rich.table import Table
from rich.text import Text

from sgpmic_cli.errors import CellsFailed
from sgpmic_cli.text import for_html, for_terminal

if TYPE_CHECKING:
    from sgpmic_cli.benchmark.run import Runs

LINE_SECONDS = 10.0  # between two lines of progress
Report = Callable[[int | None, int | None, str], None]
RETRY = "the notes say why, and --retry-failed runs them again"


@dataclass
class Output:
    """The streams of a command, which prints tables or one JSON document."""

    json: bool = False
    quiet: bool = False
    verbose: bool = False  # print every step of the progress
    width: int = 140  # of a pipe or a file, which have none

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
        width = None if stream.isatty() else self.width
        # No markup: names from files may contain [ ].
        return Console(stderr=stderr, width=width, highlight=False, soft_wrap=False, markup=False)

    def result(self, document: Mapping[str, Any], parts: Iterable[RenderableType]) -> None:
        """Print the document with `--json`, otherwise the parts unless the command is quiet."""
        if self.json:
            print(json.dumps(document, indent=2, allow_nan=False))
            return
        console = self.console()
        for renderable in () if self.quiet else parts:
            segments = console.render(renderable)
            escaped = (part._replace(text=for_html(part.text)) for part in segments)
            console.print(Segments(escaped), crop=False)  # long command lines stay whole

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
        self.note(f"{sentence}; {time.monotonic() - self._start:.0f} s")


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


def facts(content: Mapping[str, Any]) -> Table:
    """Return a table with a name and a plain value on each line."""
    names = Table(box=None, show_header=False, pad_edge=False)
    names.add_column(style="bold", no_wrap=True)
    names.add_column(overflow="fold")
    for name, value in content.items():
        names.add_row(name, Text(value_text(value)))
    return names


def value_text(value: Any, separator: str = "\n") -> str:
    """Format a plain value; a dictionary has one line for each entry."""
    if isinstance(value, dict):
        return separator.join(f"{name}: {value_text(entry, ', ')}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(value_text, value))
    return "–" if value in (None, "") else str(value)


def score_facts(scores: Mapping[str, float] | None) -> dict[str, str]:
    """Return the scores as facts."""
    from sgpmic_cli.scores import SCORES

    return {
        f"{SCORES[name].title} ({SCORES[name].meaning})".removesuffix(" ()"): f"{value:.2f}"
        for name, value in (scores or {}).items()
    }


@contextmanager
def progress_bar(output: Output, step: str = "starting") -> Iterator[Report]:
    """Yield a function that shows how much of a step is done, of how much, and the step in words.

    A terminal has a bar, another stream a line every ten seconds. A verbose command has a line for
    every step.
    """
    bar = bars.Progress(
        bars.TextColumn("{task.description}", markup=False),
        *bars.Progress.get_default_columns()[1:],
        console=output.console(stderr=True),
        transient=True,
        disable=output.quiet or output.verbose or not sys.stderr.isatty(),
    )
    task, next_line = bar.add_task(step, total=None), time.monotonic() + LINE_SECONDS

    def report(done: int | None, total: int | None, step: str) -> None:
        nonlocal next_line
        bar.update(task, description=step, completed=done, total=total)
        if bar.disable and (output.verbose or time.monotonic() >= next_line):
            next_line = time.monotonic() + LINE_SECONDS
            output.note(step)

    with bar:
        yield report


def finish_runs(runs: "Runs", written: str, output: Output) -> None:
    """Print how many runs were computed and what was written; raise CellsFailed if some failed."""
    output.finish(f"{runs.computed} runs computed, {runs.reused} reused; {written}")
    if runs.failed:
        total = runs.computed + runs.reused
        raise CellsFailed(f"{runs.failed} of {total} runs failed; {RETRY}.")
