"""`sgpmic info`: describe the installation, for example for a bug report."""

import sys
from pathlib import Path

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output


def info(data_dir: shared.DataDir = None, json: shared.Json = False) -> None:
    """Print versions, linear algebra libraries, threads, paths, data sets and methods."""
    import sgpmic_cli
    from sgpmic_cli.commands.terminal_tables import as_text, facts
    from sgpmic_cli.data.inventory import describe_all
    from sgpmic_cli.data.registered import cache_folder
    from sgpmic_cli.data.registry import bundled_folder
    from sgpmic_cli.files.manifest import commit, environment
    from sgpmic_cli.paper.experiments.protocols import paper_suite

    content = {
        **environment(),
        "commit": commit(),
        "paths": {
            "python": sys.executable,
            "package": str(Path(sgpmic_cli.__file__).parent),
            "bundled data": str(bundled_folder()),
            "downloaded data": str(cache_folder(data_dir)),
            "results": str(shared.OUTPUT_FOLDER.resolve()),
        },
        "datasets": {data["name"]: data["state"] for data in describe_all(data_dir)},
        "methods": list(paper_suite().methods),
    }
    Output(json).result(content, [facts({key: as_text(value) for key, value in content.items()})])
