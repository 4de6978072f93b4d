"""Helpers that check files and processes of a command."""

import hashlib
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def snapshot(folder):
    """Return all paths below a folder, and the hashes of files that are no links."""
    paths = sorted(folder.rglob("*"))
    files = [path for path in paths if path.is_file() and not path.is_symlink()]
    return paths, [hashlib.sha256(without_seconds(path)).hexdigest() for path in files]


def without_seconds(path):
    """Return the bytes of a file, without the duration of the fit in a report."""
    content = path.read_bytes()
    return re.sub(rb", in [\d.]+ s,", b"", content) if path.suffix == ".html" else content


def processes_of(group):
    """Return the running processes of a command's session."""
    command = ["ps", "-eo", "pid=,sid=,stat="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return [int(pid) for pid, session, state in rows if int(session) == group and state[0] != "Z"]
