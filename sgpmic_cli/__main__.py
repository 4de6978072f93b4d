"""Entry point of the command line."""

import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from sgpmic_cli.errors import Terminated

# Use one BLAS thread per process; this must be set before NumPy is imported. Several processes with
# several threads each are slower, and sums that are split over threads differ in the last digits.
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
    except KeyboardInterrupt as interrupt:  # during the imports
        with suppress(OSError):
            print("sgpmic: interrupted.", file=sys.stderr, flush=True)
        sys.exit(143 if isinstance(interrupt, Terminated) else 130)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second signal must not interrupt the cleanup
    raise Terminated


def _open_closed_streams() -> None:
    """Open standard streams that are closed.

    Otherwise the next file that is opened gets their descriptor, and messages are written into it.
    Output to a closed stdout fails, as on a full disk.
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
