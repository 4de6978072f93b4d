"""Ctrl-C, SIGTERM and deadlines, which end a command with one sentence.

An exception in the middle of an import can be swallowed or printed by the imported package. So a
signal ends the process at once, unless it arrives in a block with `cleanup`. There it raises
KeyboardInterrupt.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeVar

from sgpmic_cli.errors import Terminated

SIGNALS = (signal.SIGINT, signal.SIGTERM)
REPEAT_SECONDS = 1.0  # `timeout` sends its signal twice
CallResult = TypeVar("CallResult")


class _State:
    """The number of blocks with cleanup that were entered, and the time of the first signal."""

    blocks = 0
    first: float | None = None


def install_handlers() -> None:
    """Handle the signals of the command line. In Python the user's handlers stay in place."""
    for number in SIGNALS:
        signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    now, first = time.monotonic(), _State.first
    if first is not None and now - first < REPEAT_SECONDS:
        return
    _State.first = now
    if first is not None or not _State.blocks:
        with suppress(OSError):
            os.write(2, b"sgpmic: interrupted.\n")
        os._exit(128 + number)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


@contextmanager
def cleanup() -> Iterator[None]:
    """Raise KeyboardInterrupt for a signal in this block, whose caller cleans up."""
    _State.blocks += 1
    try:
        yield
    finally:
        _State.blocks -= 1


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Delay the signals until the end of the block.

    Handlers are replaced because a blocked signal still reaches the handler in another thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread only
        return
    arrived: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: arrived.append(number))
        for number in SIGNALS
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])


@contextmanager
def blocked_interrupts() -> Iterator[None]:
    """Block the signals in this thread and in the processes that it starts, which inherit the mask.

    Ctrl-C in a terminal also reaches the workers. Without this, each would print a traceback.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def within(seconds: float, call: Callable[[], CallResult]) -> CallResult:
    """Run `call` in a daemon thread. Raise TimeoutError if it does not finish in time."""
    ended: dict[str, Any] = {}

    def work() -> None:
        try:
            ended["result"] = call()
        except BaseException as error:
            ended["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"not done after {seconds:g} s")
    if "error" in ended:
        raise ended["error"]
    return ended["result"]
