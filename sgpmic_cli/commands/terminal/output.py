"""Where things are printed: the result on stdout, everything else on stderr, as a table or as one JSON document."""

import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sgpmic_cli.commands.terminal.options.option_names import in_options
from sgpmic_cli.safe_text import for_terminal

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_WITHOUT_TERMINAL = 140  # a pipe or a file has no width of its own


class Output:
    """What a command prints: a table or one JSON document, and remarks beside it unless they are not wanted."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False):
        self.as_json = as_json
        self.quiet = quiet
        self._began = time.monotonic()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that lacks ± still gets its table

    def console(self) -> "Console":
        """The console for results."""
        return _console(stderr=False)

    def side_console(self) -> "Console":
        """The console for progress, warnings and remarks."""
        return _console(stderr=True)

    def document(self, content: Mapping[str, Any]) -> None:
        """Print the one JSON document."""
        print(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))

    def remark(self, sentence: str) -> None:
        """Say something beside the result."""
        if not self.quiet:
            with suppress(OSError):  # nobody listens
                print(for_terminal(in_options(sentence)), file=sys.stderr, flush=True)

    def ending(self, sentence: str) -> None:
        """Say what was done, where it lies, and how long the command took."""
        self.remark(f"{sentence}; {spoken(time.monotonic() - self._began)}")


def spoken(seconds: float) -> str:
    """A duration for people."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _console(stderr: bool) -> "Console":
    # Rich leaves colours out by itself when the stream is no terminal or NO_COLOR is set.
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDTH_WITHOUT_TERMINAL
    return Console(
        stderr=stderr, width=width, highlight=False, soft_wrap=False, markup=False
    )  # names may have [ ]
