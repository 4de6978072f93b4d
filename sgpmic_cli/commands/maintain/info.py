"""`sgpmic info`: what a report of a problem should carry."""

from pathlib import Path
from typing import Any

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.commands.terminal.tables.facts import facts


def info(
    data_dir: shared_options.DataDir = None,
    json: shared_options.Json = False,
) -> None:
    """Print versions, linear algebra and threads, paths, and the data sets and methods at hand."""
    output = Output(as_json=json)
    content = _content(data_dir)
    if json:
        output.document(content)
        return
    output.console().print(facts({name: _text(value) for name, value in content.items()}))


def _content(data_dir: Path | None) -> dict[str, Any]:
    import sys

    import sgpmic_cli
    from sgpmic_cli.data.originals import cache_folder
    from sgpmic_cli.data.registry import bundled_folder
    from sgpmic_cli.experiments.plan.methods import known
    from sgpmic_cli.experiments.run.manifest import commit, environment

    return {
        **environment(),
        "commit": commit(),
        "paths": {
            "python": sys.executable,
            "package": str(Path(sgpmic_cli.__file__).parent),
            "bundled data": str(bundled_folder()),
            "downloaded data": str(cache_folder(data_dir)),
            "results": str(shared_options.EXPLORED.resolve()),
        },
        "datasets": _datasets_present(data_dir),
        "methods": list(known()),
    }


def _datasets_present(data_dir: Path | None) -> dict[str, str]:
    """Every registered data set, and whether it can be used without a network."""
    from sgpmic_cli.data.originals import cached
    from sgpmic_cli.data.registry import entry, names

    present = {}
    for found in map(entry, names()):
        if found.kind != "download":
            present[found.name] = found.kind
        elif cached(found, data_dir) is not None:
            present[found.name] = "downloaded"
        else:
            present[found.name] = f"not downloaded (sgpmic datasets fetch {found.name})"
    return present


def _text(value: Any) -> str:
    """A fact for people: nested ones line by line."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_text(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return "\n".join(", ".join(_text(entry).splitlines()) for entry in value)
    return "–" if value is None else str(value)
