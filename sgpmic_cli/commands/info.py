"""`sgpmic info`: versions and paths for a bug report."""

from pathlib import Path
from typing import Any

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output


def info(data_dir: shared.DataDir = None, json: shared.Json = False) -> None:
    """Print versions, linear algebra libraries, threads, paths, data sets and methods."""
    output = Output(json)
    content = _content(data_dir)
    if json:
        output.document(content)
        return
    from sgpmic_cli.commands.terminal_tables import as_text, facts

    output.show(facts({name: as_text(value) for name, value in content.items()}))


def _content(data_dir: Path | None) -> dict[str, Any]:
    import sys

    import sgpmic_cli
    from sgpmic_cli.data.inventory import describe_all
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
            "results": str(shared.OUTPUT_FOLDER.resolve()),
        },
        "datasets": {each["name"]: each["state"] for each in describe_all(data_dir)},
        "methods": list(known()),
    }
