"""Where things are printed: the result on stdout, everything else on stderr, as a table or as one JSON document."""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sgpmic_cli.errors import CellsFailed

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_WITHOUT_TERMINAL = 140  # a pipe or a file has no width of its own


class Output:
    """Decides once whether a person, a program or nobody is listening."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False):
        self.as_json = as_json
        self.quiet = quiet
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
            print(sentence, file=sys.stderr, flush=True)


def raise_failed(failed: int, total: int) -> None:
    """End with the exit code of failed runs, if there are any."""
    if failed:
        raise CellsFailed(f"{failed} of {total} runs failed; the notes say why, and --retry-failed runs them again.")


def _console(stderr: bool) -> "Console":
    # Rich leaves colours out by itself when the stream is no terminal or NO_COLOR is set.
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDTH_WITHOUT_TERMINAL
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=False, markup=False)  # names may have [ ]
