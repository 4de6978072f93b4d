"""Write files completely or not at all, into folders that are new or our own.

A file is written under a temporary name beside its target, and `os.replace` gives it its name. A
killed process leaves at most temporary files, which the next command that locks the folder removes.

A command writes into a folder that is new, empty, or has its own marker. The marker `.sgpmic.json`
lists the files that the command wrote. Only these are replaced or removed.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Literal

from sgpmic_cli.errors import UsageError

MARKER = ".sgpmic.json"
TEMPORARY = ".sgpmic-tmp-"  # the beginning of temporary names
# "new" needs a folder without results, "replace" removes the results of the same command, and
# "add" keeps those that are not written again.
Mode = Literal["new", "replace", "add"]


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` on success. After an error `path` is unchanged.

    The folder is created. Of a symbolic link, the file that it points to is replaced.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise UsageError(f"'{path}' is in the way and no file: move it, or name another file.")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{path.name}")
    try:
        with temporary.open("wb") as file:
            yield file
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a text file completely or not at all. Surrogates of file names are escaped."""
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder, and remove what killed processes left in it.

    Raise UsageError if another process holds the lock.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another command is writing into '{folder}': wait for it, or choose another "
                "folder."
            ) from None
        for path in folder.glob(f"{TEMPORARY}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        yield
    finally:
        os.close(descriptor)


@contextmanager
def output_folder(out: Path, command: str, mode: Mode = "add") -> Iterator[Path]:
    """Yield a temporary folder. On success move its files into `out`, otherwise leave `out` as is.

    Enter before a long computation: a folder that is not writable or that has files of others is
    reported at once.
    """
    new = [folder for folder in (out, *out.parents) if not folder.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with locked(out):
            old = own_files(out, command, mode)
            folder = Path(mkdtemp(prefix=TEMPORARY, dir=out))
            try:
                yield folder
                _move_files(folder, out, command, old, mode)
            finally:
                shutil.rmtree(folder)
    finally:
        for made in new:
            with suppress(OSError):  # it holds the results
                made.rmdir()


def write_files(out: Path, command: str, texts: Mapping[str, str]) -> None:
    """Add text files to the output folder of a command."""
    with output_folder(out, command) as folder:
        for name, text in texts.items():
            write_whole(folder / name, text)


def claim_folder(out: Path, command: str) -> None:
    """Mark a folder for a command that stores runs there before it writes its files."""
    out.mkdir(parents=True, exist_ok=True)
    _write_marker(out, command, own_files(out, command, "add"))


def own_files(out: Path, command: str, mode: Mode) -> set[str]:
    """Return the files of a command in a folder. Raise UsageError if it must not write there."""
    try:
        marker = json.loads((out / MARKER).read_bytes())
        owner, files = marker["command"], {*marker["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        owner, files = command, set()
        if others := sorted(name for name in os.listdir(out) if not name.startswith(".")):
            raise UsageError(
                f"'{out}' has files that `sgpmic {command}` did not write, such as {others[0]!r}: "
                "choose another --out."
            ) from None
    if owner != command:
        raise UsageError(f"'{out}' contains the results of `sgpmic {owner}`: choose another --out.")
    if mode == "new" and files:
        raise UsageError(
            f"'{out}' already contains the results of `sgpmic {command}`: choose another --out, or "
            "replace them with --force."
        )
    return files


def _move_files(folder: Path, out: Path, command: str, old: set[str], mode: Mode) -> None:
    new = {*os.listdir(folder)}
    for name in new - old:
        if (out / name).exists():
            raise UsageError(
                f"'{out / name}' is in the way and was not written by sgpmic: move it, or choose "
                "another --out."
            )
    if mode == "replace":
        for name in old - new:
            (out / name).unlink(missing_ok=True)
    _write_marker(out, command, new | old if mode == "add" else new)
    for name in new:
        os.replace(folder / name, out / name)


def _write_marker(out: Path, command: str, files: Iterable[str]) -> None:
    content = {"command": command, "files": sorted(files)}
    write_whole(out / MARKER, json.dumps(content, indent=2) + "\n")
