"""Output of a command: the result on stdout, everything else on stderr."""

import json
import sys
import time
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sgpmic_cli.commands.shared_options import Json, Quiet
from sgpmic_cli.text import for_html, for_terminal

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDTH_WITHOUT_TERMINAL = 140  # a pipe or a file has no width


@dataclass
class Output:
    """The streams of a command, which prints tables or one JSON document."""

    json: Json = False
    quiet: Quiet = False

    def __post_init__(self) -> None:
        self._start = time.monotonic()
        self._warnings: set[str] = set()
        warnings.showwarning = self._show_warning
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # for terminals whose encoding lacks ±

    def console(self, *, stderr: bool = False) -> "Console":
        """Return a console for results (stdout) or for progress (stderr)."""
        from rich.console import Console

        stream = sys.stderr if stderr else sys.stdout
        width = None if stream.isatty() else WIDTH_WITHOUT_TERMINAL
        # No markup: names from files may contain [ ].
        return Console(stderr=stderr, width=width, highlight=False, soft_wrap=False, markup=False)

    def result(self, document: Mapping[str, Any], parts: "Iterable[RenderableType]") -> None:
        """Print the document with `--json`, otherwise the parts; escape control characters."""
        from rich.segment import Segments

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
        self, document: Mapping[str, Any], parts: "Iterable[RenderableType]"
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
