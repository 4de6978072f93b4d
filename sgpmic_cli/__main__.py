"""Entry point of the command line."""

import os

# Use one BLAS thread per process; this must be set before NumPy is imported. Several processes with
# several threads each are slower, and sums that are split over threads differ in the last digits.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")


def main() -> None:
    """Run the `sgpmic` command."""
    from sgpmic_cli.commands import app

    app(prog_name="sgpmic")


if __name__ == "__main__":
    main()
