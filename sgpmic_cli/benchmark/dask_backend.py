"""Let joblib compute on a Dask cluster."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sgpmic_cli.errors import UsageError

CONNECT_SECONDS = 10
LOCAL = "local"  # instead of the address of a scheduler


@contextmanager
def dask_cluster(scheduler: str, n_jobs: int) -> Iterator[int]:
    """Use the workers of a Dask scheduler in joblib, and yield their number.

    The scheduler "local" starts `n_jobs` workers on this machine and ends them.
    """
    from joblib import effective_n_jobs, parallel_config

    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError("--backend dask needs Dask: pip install 'sgpmic[dask]'.") from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised as well
    try:
        if scheduler == LOCAL:
            workers = {"n_workers": effective_n_jobs(n_jobs), "threads_per_worker": 1}
            client = Client(**workers, dashboard_address=None, set_as_default=False)
        else:
            client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # Dask raises many types of errors for a wrong address
        raise UsageError(
            f"no Dask scheduler answers at {scheduler!r} within {CONNECT_SECONDS} s: start one or "
            "correct the address."
        ) from error
    with client:
        threads = client.nthreads().values()
        if not threads or max(threads) > 1:
            raise UsageError(
                f"the Dask cluster at {scheduler!r} needs workers with one thread each, so that "
                "runs do not disturb each other: start them with --nthreads 1, one per core."
            )
        with parallel_config(backend="dask", client=client):
            yield len(threads)
