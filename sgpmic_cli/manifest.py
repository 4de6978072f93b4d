"""Describe how a result was computed: arguments, versions, BLAS, processor, data, commit."""

import os
import platform
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sgpmic_cli import __version__

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib", "threadpoolctl", "matplotlib")


def manifest(arguments: Mapping[str, Any], data: Mapping[str, str], **more: Any) -> dict[str, Any]:
    """Return the manifest of a result; `data` maps the names of data sets to their hashes."""
    return {
        "arguments": {
            name: os.fspath(value) if isinstance(value, os.PathLike) else value
            for name, value in arguments.items()
        },
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": dict(sorted(data.items())),
        "commit": commit(),
        **environment(),
        **more,
    }


def environment() -> dict[str, Any]:
    """Return the versions, processor and linear algebra libraries of this process."""
    import scipy.linalg  # noqa: F401 - loads the library that SciPy brings
    from threadpoolctl import threadpool_info

    versions = {name: version(name) for name in LIBRARIES}
    blas = [{key: each[key] for key in each if key != "filepath"} for each in threadpool_info()]
    return {
        "versions": {"sgpmic": __version__, "python": platform.python_version(), **versions},
        "platform": platform.platform(),
        "cpu": {"model": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "blas": sorted(blas, key=str),  # threadpool_info has no fixed order
    }


def commit() -> str | None:
    """Return the commit of the checkout, with "-dirty" if files other than results differ.

    Results are also the pictures and notebooks of the documents, which `make pictures`
    and `make docs` write.
    """
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():
        return None

    def git(*arguments: str) -> str:
        return subprocess.check_output(["git", "-C", root, *arguments], text=True).strip()

    with suppress(OSError, subprocess.SubprocessError):
        results = (":!results", ":!docs/pictures", ":!docs/notebooks")
        changed = git("diff", "--name-only", "HEAD", "--", ".", *results)
        return git("rev-parse", "HEAD") + ("-dirty" if changed else "")
    return None
