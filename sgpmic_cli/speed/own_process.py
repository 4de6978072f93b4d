"""Measurements in a process of their own, where neither memory nor threads of what was measured before are left."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from sgpmic_cli.errors import SgpmicError


def gigabytes(peak: int) -> float:
    """The peak of memory of a process from its `ru_maxrss`, which are bytes on macOS and kilobytes elsewhere."""
    return peak * (1 if sys.platform == "darwin" else 1024) / 2**30


def measured_alone(module: str, n: int, say: Callable[[str], None]) -> Any:
    """The JSON document that `python -m module n` prints; `say` is called with each line of its progress."""
    command = [sys.executable, "-m", module, str(n)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stderr:
            say(line.rstrip())
        answer = process.stdout.read()
    if process.returncode:
        raise SgpmicError(
            f"the measurement of {n} rows ({module}) ended with code {process.returncode}; its lines above say why."
        )
    return json.loads(answer)
