"""A line every ten seconds for whoever reads a log: where there is no terminal, a bar would be noise."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sgpmic_cli.commands.terminal.output import Output

EVERY = 10.0  # seconds


@contextmanager
def beating(output: Output, state: Callable[[], str]) -> Iterator[None]:
    """Say where the work stands, however long a single step of it takes."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(EVERY):
            output.remark(state())

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
