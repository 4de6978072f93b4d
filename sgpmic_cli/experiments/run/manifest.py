"""Describe how a result was computed: arguments, versions, BLAS, processor, data, commit."""

import os
import platform
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sgpmic_cli._version import __version__

LIBRARIES = (
    *("numpy", "scipy", "scikit-learn", "pandas", "joblib", "threadpoolctl"),
    *("typer", "rich", "matplotlib"),
)


def manifest(arguments: Mapping[str, Any], data: Mapping[str, str], **more: Any) -> dict[str, Any]:
    """Return the manifest of a result; `data` maps the names of data sets to their hashes."""
    return {
        "arguments": {name: _plain(value) for name, value in arguments.items()},
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": dict(sorted(data.items())),
        "commit": commit(),
        **environment(),
        **more,
    }


def environment() -> dict[str, Any]:
    """Return the versions, processor and linear algebra libraries of this process."""
    return {
        "versions": {"sgpmic": __version__, "python": platform.python_version(), **_libraries()},
        "platform": platform.platform(),
        "cpu": {"model": _processor(), "cores": os.cpu_count()},
        "blas": blas(),
    }


def blas() -> list[dict[str, Any]]:
    """Return the loaded linear algebra libraries with their numbers of threads."""
    import numpy as np
    from scipy import linalg
    from threadpoolctl import threadpool_info

    linalg.cholesky(np.eye(1))  # loads the library that SciPy brings
    kept = ("user_api", "internal_api", "version", "num_threads", "threading_layer", "architecture")
    found = [{name: each[name] for name in kept if name in each} for each in threadpool_info()]
    return sorted(found, key=str)  # threadpool_info has no fixed order


def commit() -> str | None:
    """Return the commit of the checkout, marked as modified if files differ from it."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "HEAD")
        changes = _git(root, "status", "--porcelain", "--", "sgpmic_cli", "datasets")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{head} (modified)" if changes else head


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    return done.stdout.strip()


def _libraries() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _plain(value: Any) -> Any:
    """Return an argument in a form that JSON can hold."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return list(value) if isinstance(value, tuple) else value
