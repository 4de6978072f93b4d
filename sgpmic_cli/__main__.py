"""Entry point of the command line."""

import os

# One BLAS thread per process, set before numpy is imported anywhere (workers inherit it): two threads on two busy
# cores are slower than one each, and sums split over threads change the last digits of a result.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_variable, "1")


def main() -> None:
    """Run the `sgpmic` command."""
    from sgpmic_cli.commands import app

    app()


if __name__ == "__main__":
    main()
