"""Awkward files for the tests. Run this script to print the table of docs/intake.md."""

import gzip
import io
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FILES: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)["file"]


def content(case: dict[str, Any]) -> bytes:
    """Return the bytes of a file."""
    raw = case["text"].encode(case.get("encoding", "utf-8"))
    stored_as = case.get("stored_as")
    if stored_as == "gzip":
        return gzip.compress(raw)
    buffer = io.BytesIO()
    if stored_as == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("table.csv", raw)
        return buffer.getvalue()
    if stored_as == "npy":
        import numpy as np

        np.save(
            buffer,
            np.genfromtxt(io.BytesIO(raw), delimiter=",", dtype=str if b"x" in raw else float),
        )
        return buffer.getvalue()
    if stored_as in ("parquet", "lists", "xlsx"):
        import pandas as pd

        frame = pd.read_csv(io.BytesIO(raw))
        if stored_as == "lists":
            frame["tags"] = frame["tags"].str.split()
        if stored_as == "xlsx":
            frame.to_excel(buffer, index=False)
        else:
            frame.to_parquet(buffer)
        return buffer.getvalue()
    return raw


def standard_input(buffer: Any) -> SimpleNamespace:
    """Return a stand-in for `sys.stdin`."""
    return SimpleNamespace(buffer=buffer)


def markdown() -> str:
    """Return the table of docs/intake.md."""
    shown = [(case["odd"].replace("|", r"\|"), case["happens"]) for case in FILES if "odd" in case]
    rows = [f"| {odd} | {happens} |" for odd, happens in shown]
    return "\n".join(["| the file | what happens |", "|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
