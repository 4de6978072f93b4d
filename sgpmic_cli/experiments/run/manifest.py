"""What a result was made with: arguments, versions, BLAS, processor, data, commit."""

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sgpmic_cli._version import __version__

LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "joblib",
    "threadpoolctl",
    "typer",
    "rich",
    "matplotlib",
)


def manifest(arguments: Mapping[str, Any], data: Mapping[str, str], **more: Any) -> dict[str, Any]:
    """The manifest of a result; `data` maps the names of data sets to the hashes of their values."""
    return {
        "arguments": {name: _plain(value) for name, value in arguments.items()},
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": dict(sorted(data.items())),
        "commit": commit(),
        **environment(),
        **more,
    }


def environment() -> dict[str, Any]:
    """Versions, processor and linear algebra of this process."""
    return {
        "versions": {"sgpmic": __version__, "python": platform.python_version(), **_libraries()},
        "platform": platform.platform(),
        "cpu": {"model": _processor(), "cores": os.cpu_count()},
        "blas": blas(),
    }


def blas() -> list[dict[str, Any]]:
    """The linear algebra libraries that are loaded, with the threads each would use."""
    import numpy as np
    from scipy import linalg
    from threadpoolctl import threadpool_info

    linalg.cholesky(np.eye(1))  # SciPy brings a library of its own, loaded by now
    kept = ("user_api", "internal_api", "version", "num_threads", "threading_layer", "architecture")
    found = [
        {name: library[name] for name in kept if name in library} for library in threadpool_info()
    ]
    return sorted(
        found, key=str
    )  # they are listed in no order, and equal runs are to have equal manifests


def commit() -> str | None:
    """The commit of the checkout that this package runs from, with a mark when files differ from it."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "HEAD")
        return (
            f"{head} (modified)"
            if _git(root, "status", "--porcelain", "--", "sgpmic_cli", "datasets")
            else head
        )
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10, check=True
    )
    return done.stdout.strip()


def _libraries() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _plain(value: Any) -> Any:
    """Arguments as JSON can hold them."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return list(value) if isinstance(value, tuple) else value
