"""Write the files of a command into its output folder, all or none.

**Files of others.** A command writes into a folder that is new, empty, or has a marker of the same
command. The marker `.sgpmic.json` lists the files that the command wrote. Only these are replaced
or removed. The rule is checked before the work, and again when the files are moved.

**One commit point.** The files are written into a folder `.sgpmic-….unfinished`, which is then
renamed to `.sgpmic-….finished`. Before this rename nothing has changed; after it the new files
count. They are then moved to their places one by one. If the process is killed between two moves,
the next command that reads or writes the folder moves the rest (`settle`). The same call removes
what a killed process had not committed. `settle` only touches names of this pattern, directly in
the folder, that no running process has locked.
"""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from glob import glob
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Literal, NamedTuple

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files.atomic import (
    encoded,
    lock,
    opened,
    read_regular,
    refuse_replacing,
    replace,
    strict_json,
    temporary_name,
    write_errors,
)
from sgpmic_cli.interrupts import cleanup, delayed_interrupts

MARKER = ".sgpmic.json"
PATTERN = re.compile(r"\.sgpmic-[0-9a-f]{16}\.(tmp|unfinished|finished)")
# "new" needs a folder without results, "replace" removes the results of the same command, and
# "add" keeps those that are not written again.
Mode = Literal["new", "replace", "add"]


class Marker(NamedTuple):
    """The command that wrote a folder, and the names of its files."""

    command: str = ""
    files: frozenset[str] = frozenset()

    def content(self) -> bytes:
        """Return the content of the marker's file."""
        fields = {"command": self.command, "files": sorted(self.files)}
        return encoded(json.dumps(fields, indent=2) + "\n")

    def write(self, folder: Path) -> None:
        """Write the marker into a folder."""
        (folder / MARKER).write_bytes(self.content())


def read_marker(folder: Path) -> Marker | None:
    """Return the marker of a folder. Return None if it is absent, a link, edited or has a path."""
    if (folder / MARKER).is_symlink():
        return None
    try:
        written = read_regular(folder / MARKER)
        content = strict_json(written)
        marker = Marker(str(content["command"]), frozenset(map(str, content["files"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    names = all(Path(name).name == name and name.isprintable() for name in marker.files)
    return marker if names and marker.content() == written else None


@contextmanager
def output_folder(
    out: Path, command: str, mode: Mode = "add", inputs: Iterable[str | Path] = ()
) -> Iterator[Path]:
    """Yield a temporary folder. On success move its files into `out`, otherwise leave `out` as is.

    Enter before a long computation: a folder that is not writable or that has files of others is
    reported at once. Interrupts are delayed while the files are moved, so their message says
    correctly what was written.
    """
    inputs = tuple(inputs)
    folder = out / temporary_name()
    committed = False
    with cleanup(), _no_empty_folder(out), ExitStack() as locks:
        check_writable(out, "--out")
        out_lock = locks.enter_context(opened(out))
        if mode != "add" and not lock(out_lock):
            raise UsageError(f"another command is writing into '{out}': choose another --out.")
        check_marker(out, command, mode, inputs)
        folder.mkdir()
        lock(locks.enter_context(opened(folder)))
        folder = folder.rename(folder.with_suffix(".unfinished"))
        try:
            yield folder
            for path in folder.iterdir():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
            with delayed_interrupts():
                lock(out_lock, wait=True)
                old = check_marker(out, command, mode, inputs)
                _check_targets(folder, old)
                written = frozenset(os.listdir(folder))
                Marker(command, written | old.files if mode == "add" else written).write(folder)
                folder = folder.rename(folder.with_suffix(".finished"))
                committed = True
                _move_out(folder)
        except KeyboardInterrupt as interrupt:
            what = " after all files were" if committed else "; nothing was"
            raise type(interrupt)(*(interrupt.args or [f"interrupted{what} written."])) from None
        finally:
            if not committed:  # otherwise the next command moves what could not be moved
                shutil.rmtree(folder, ignore_errors=True)


def write_files(out: Path, command: str, texts: Mapping[str, str]) -> None:
    """Add a set of text files to the output folder of a command, all or none."""
    with write_errors(f"into '{out}'"), output_folder(out, command) as unfinished:
        for name, text in texts.items():
            (unfinished / name).write_bytes(encoded(text))


@contextmanager
def claim_folder(out: Path, command: str, inputs: Sequence[str], store: Path) -> Iterator[None]:
    """Mark a folder for a command, which stores its runs there before it writes its files.

    The inputs are paths, names or patterns of files. If the block stores nothing, the folders that
    did not exist before are removed.
    """
    with _no_empty_folder(out), _no_empty_folder(store):
        check_writable(out, "--out")
        matches = (glob(os.path.expanduser(each), recursive=True) for each in inputs)
        marker = check_marker(out, command, "add", [*inputs, *chain.from_iterable(matches)])
        check_writable(store, "--store")
        marker.write(out)
        yield


def check_marker(out: Path, command: str, mode: Mode, inputs: Iterable[str | Path]) -> Marker:
    """Return the marker of a folder. Raise UsageError if the command must not write there."""
    marker = read_marker(out)
    if marker is None:
        # Hidden files do not count, except a marker that cannot be read.
        others = sorted(n for n in os.listdir(out) if n == MARKER or not n.startswith("."))
        if others:
            raise UsageError(
                f"'{out}' has files that `sgpmic {command}` did not write, such as {others[0]!r}: "
                "choose another --out."
            )
        return Marker(command)
    if marker.command != command:
        raise UsageError(
            f"'{out}' contains the results of `sgpmic {marker.command}`: choose another --out."
        )
    if mode == "new" and marker.files:
        raise UsageError(
            f"'{out}' already contains the results of `sgpmic {command}`: choose another --out, or "
            "replace them with --force."
        )
    for name in marker.files:
        refuse_replacing(out / name, inputs)
    return marker


def read_whole(path: Path) -> bytes:
    """Settle the folder of a result file, then read the file."""
    settle(path.parent)
    return read_regular(path)


def read_json(path: Path) -> Any:
    """Read a JSON file. Raise OSError if it cannot be read, ValueError if it is not valid JSON."""
    return strict_json(read_whole(path))


def settle(folder: Path) -> None:
    """Complete what killed processes had committed in a folder, and remove what they had not."""
    with suppress(OSError):  # a folder that is absent or read-only has nothing to settle
        for path in list(folder.iterdir()):
            if not PATTERN.fullmatch(path.name) or path.is_symlink():
                continue
            # Errors: locked by a running process, settled by another one, or a file in the way.
            with suppress(OSError, UsageError), opened(path) as descriptor:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if path.suffix == ".finished":
                    _check_targets(path, read_marker(folder) or Marker())
                    _move_out(path)
                elif path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def check_writable(folder: Path, option: str) -> None:
    """Create the folder of an option. Raise SgpmicError if files cannot be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        settle(folder)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SgpmicError(
            f"cannot write into {option} {str(folder)!r}: {error.strerror}; name another folder."
        ) from error


@contextmanager
def _no_empty_folder(out: Path) -> Iterator[None]:
    """Remove at the end what was created of the path of a folder and has no file but a marker."""
    created = [folder for folder in (out, *out.parents) if not folder.exists()]  # innermost first
    try:
        yield
    finally:
        for folder in created:
            with suppress(OSError):  # it holds the results
                if os.listdir(folder) == [MARKER]:
                    (folder / MARKER).unlink()
                folder.rmdir()


def _check_targets(folder: Path, old: Marker) -> None:
    """Raise UsageError if a file of others or a folder is in the place of a file in `folder`."""
    for name in sorted(set(os.listdir(folder)) - {MARKER}):
        target = folder.parent / name
        if os.path.lexists(target) and (name not in old.files or target.is_dir()):
            raise UsageError(
                f"'{target}' is in the way and was not written by sgpmic: move it, or choose "
                "another --out."
            )


def _move_out(finished: Path) -> None:
    """Move the files of a committed folder to their places, and remove the folder.

    Remove files of the old marker that the new one does not list. The new marker is moved last, so
    that another process can repeat this.
    """
    out, new = finished.parent, read_marker(finished)
    if new is not None:
        for name in new.files:
            with suppress(FileNotFoundError):  # it was moved before, or is not written again
                replace(finished / name, out / name)
        for name in (read_marker(out) or new).files - new.files:
            with suppress(OSError):  # absent, or a folder, which is not ours
                (out / name).unlink()
        os.replace(finished / MARKER, out / MARKER)
    with suppress(FileNotFoundError):
        finished.rmdir()
