"""Entry point of the command line."""

import os
import resource
import sys

# Use one BLAS thread per process; this must be set before NumPy is imported. Several processes with
# several threads each are slower, and sums that are split over threads differ in the last digits.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
LEAST_MEMORY = 1 << 30  # bytes of address space; with less, loading OpenBLAS may not end


def main() -> None:
    """Run the `sgpmic` command."""
    _open_closed_streams()
    # Typer, NumPy and Matplotlib fail if these have values that they do not expect.
    for variable in ("TERMINAL_WIDTH", "SOURCE_DATE_EPOCH", "MPLBACKEND"):
        os.environ.pop(variable, None)
    columns = os.environ.get("COLUMNS", "")
    if len(columns) > 3 or not columns.isdecimal():  # Rich would need the memory of such a line
        os.environ.pop("COLUMNS", None)
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= limit < LEAST_MEMORY:  # -1 is no limit
        sys.exit(
            f"sgpmic: the memory limit of this process is {limit >> 20} MB, and 1 GB is needed: "
            "raise it with `ulimit -v`."
        )
    from sgpmic_cli.commands import app

    app(prog_name="sgpmic")


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
