"""How a hostile case is judged: what it said, what it left, what still runs."""

import hashlib
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def snapshot(folder):
    """Every file below a folder with its hash; links and devices by name only."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(without_seconds(path)).hexdigest()
        if path.is_file() and not path.is_symlink()
        else "folder or link"
        for path in sorted(folder.rglob("*"))
    }


def without_seconds(path):
    """The bytes of a file; a report less the seconds that its fit took, which no two fits share."""
    content = path.read_bytes()
    return re.sub(rb", in [\d.]+ s,", b"", content) if path.suffix == ".html" else content


def one_sentence(stderr):
    """The sentence of an error; notes and warnings may stand before it."""
    assert "Traceback" not in stderr
    assert all(each.isprintable() or each == "\n" for each in stderr), stderr
    lines = stderr.splitlines()
    sentences = [line for line in lines if line.startswith("sgpmic: ")]
    assert len(sentences) == 1, stderr
    assert sentences[0] == lines[-1]
    assert sentences[0].endswith(".")
    return sentences[0]


def processes_of(group):
    """Processes that still belong to the session of a command."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,sid=,stat="], capture_output=True, text=True, check=True
    ).stdout
    rows = (line.split() for line in listed.splitlines())
    return [
        int(pid)
        for pid, session, state in rows
        if int(session) == group and not state.startswith("Z")
    ]
