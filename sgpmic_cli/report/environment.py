"""What the numbers were made with."""

from typing import Any

from sgpmic_cli.report.markup import Html, section, table, tag
from sgpmic_cli.report.results import Results


def environment(results: Results) -> Html:
    """The benchmark's manifest."""
    manifest = results.manifest
    rows = [
        [name, _words(value)]
        for name, value in manifest.items()
        if name not in ("data", "versions")
    ]
    versions = [[name, version] for name, version in manifest.get("versions", {}).items()]
    data = [[name, tag("code", digest)] for name, digest in manifest.get("data", {}).items()]
    return section(
        "environment",
        "Environment",
        table(["", ""], rows, caption="The run"),
        table(["", "version"], versions, caption="Versions"),
        table(["", "SHA-256 of values and labels"], data, caption="Data"),
    )


def _words(value: Any) -> str:
    """Nested facts in one line."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_words(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(_words(each) for each in value)
    if isinstance(value, float):
        return f"{value:.1f}"
    return "–" if value is None else str(value)
