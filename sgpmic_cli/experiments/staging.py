"""A folder of results that appears whole: files are made aside and moved into place when all of them are done."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sgpmic_cli.errors import UsageError


@contextmanager
def staged(out: Path) -> Iterator[Path]:
    """A fresh folder to write into; on success its files replace those of `out`, otherwise `out` stays as it was.

    Entered before the work begins, it also finds out in time that nothing could be written there.
    """
    new = [folder for folder in (out, *out.parents) if not folder.exists()]  # innermost first
    try:
        out.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=out))
    except OSError as error:
        raise UsageError(f"cannot write into --out {str(out)!r}: {error.strerror}; name another folder.") from None
    try:
        yield folder
        finished = sorted(folder.iterdir())
        for path in finished:
            with path.open("rb") as file:
                os.fsync(file.fileno())
        for path in finished:
            os.replace(path, out / path.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for empty in new:
            with suppress(OSError):  # it holds the results now
                empty.rmdir()
