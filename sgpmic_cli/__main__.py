"""Entry point of the command line."""

import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from sgpmic_cli.errors import Terminated

# One BLAS thread per process, set before numpy is imported anywhere (workers inherit it): two threads on two busy
# cores are slower than one each, and sums split over threads change the last digits of a result.
for _variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
):
    os.environ.setdefault(_variable, "1")


def main() -> None:
    """Run the `sgpmic` command."""
    _open_closed_streams()
    signal.signal(signal.SIGTERM, _terminate)
    try:
        from sgpmic_cli.commands import app

        app(prog_name="sgpmic")
    except KeyboardInterrupt as interrupt:  # before a command was there to answer it
        with suppress(OSError):
            print("sgpmic: interrupted.", file=sys.stderr, flush=True)
        sys.exit(143 if isinstance(interrupt, Terminated) else 130)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
    raise Terminated


def _open_closed_streams() -> None:
    """Give a closed standard stream a place: its number must not go to the next file that is opened.

    What is printed into a closed output cannot be read by anybody, so writing there fails, as on a full disk.
    """
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
        continue
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


if __name__ == "__main__":
    main()
