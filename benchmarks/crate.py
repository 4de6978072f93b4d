"""Describe results/ for machines: an RO-Crate and a CodeMeta file, from the manifest.

    python -m benchmarks.crate

Writes results/ro-crate-metadata.json (RO-Crate 1.1: the files, and one action for each step that
computed some of them) and results/codemeta.json. The date is that of the release in CITATION.cff.
"""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.results import MANIFEST, RESULTS, ROOT, read
from sgpmic_cli._version import __version__

CRATE = "ro-crate-metadata.json"
CODE, AUTHORS, PAPER = "#sgpmic", "#contributors", "https://arxiv.org/abs/2303.13665"
LICENCE = "https://spdx.org/licenses/MIT"
TITLE = "The experiments of the SGP-MIC paper, computed again"
WRITTEN = ("codemeta.json", CRATE)
OF_NO_STEP = (MANIFEST, "README.md", "codemeta.json", "speed-aarch64.json", "speed-gpu.json")
TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".tex": "application/x-tex",
}


def crate(manifest: dict[str, Any], results: Path) -> dict[str, Any]:
    """Return the RO-Crate of a folder of results."""
    steps = manifest["steps"]
    others = {name for name in OF_NO_STEP if (results / name).exists()}
    files = sorted({name for step in steps.values() for name in step["files"]} | others)
    actions = [f"#{quote(name)}" for name in steps]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": TITLE,
        "description": "Tables, figures and scores of sgpmic beside the numbers of the paper.",
        "datePublished": release_date(),
        "license": {"@id": LICENCE},
        "author": {"@id": AUTHORS},
        "publisher": {"@id": AUTHORS},
        "isBasedOn": {"@id": PAPER},
        "mentions": [{"@id": action} for action in actions],
        "hasPart": [{"@id": name} for name in files],
    }
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        },
        root,
        _code(manifest),
        {"@id": AUTHORS, "@type": "Organization", "name": "the sgpmic contributors"},
        {"@id": LICENCE, "@type": "CreativeWork", "name": "MIT licence", "identifier": "MIT"},
        {
            "@id": PAPER,
            "@type": "ScholarlyArticle",
            "name": "Clustering based on Mixtures of Sparse Gaussian Processes",
        },
    ]
    for action, (target, step) in zip(actions, steps.items(), strict=True):
        written = [{"@id": name} for name in step["files"]]
        graph.append(
            {
                "@id": action,
                "@type": "CreateAction",
                "name": f"make {target}",
                "description": "{seconds} s, commit {commit}, {platform}".format(**step),
                "instrument": {"@id": CODE},
                "result": written if len(written) > 1 else written[0],
            }
        )
    graph += [_file(results / name, name) for name in files]
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}


def release_date() -> str:
    """Return the date of the release."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    return re.findall(r'^date-released: "(.*)"$', text, re.M)[0]


def _code(manifest: dict[str, Any]) -> dict[str, Any]:
    return {
        "@id": CODE,
        "@type": "SoftwareSourceCode",
        "name": "sgpmic",
        "description": "Clusters and maps of tables, and the SGP-MIC paper reproduced.",
        "version": __version__,
        "identifier": manifest["commit"],
        "programmingLanguage": "Python",
        "license": {"@id": LICENCE},
    }


def _file(path: Path, name: str) -> dict[str, Any]:
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "encodingFormat": TYPES[path.suffix],
        "contentSize": str(path.stat().st_size),
    }


def codemeta(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the description of the software in CodeMeta 3.0."""
    code = {name: text for name, text in _code(manifest).items() if not name.startswith("@")}
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        **code,
        "datePublished": release_date(),
        "license": LICENCE,
        "author": [{"type": "Organization", "name": "the sgpmic contributors"}],
        "referencePublication": PAPER,
        "softwareRequirements": [
            f"{name} {number}"
            for name, number in manifest["versions"].items()
            if name not in ("sgpmic", "python")
        ],
        "runtimePlatform": f"Python {manifest['versions']['python']}",
    }


def text_of(name: str) -> str:
    """Return the text of one of the two files, for the results as they are."""
    manifest = read(RESULTS)
    content = crate(manifest, RESULTS) if name == CRATE else codemeta(manifest)
    return json.dumps(content, indent=2) + "\n"


def main() -> None:
    """Write both files, the description of the software first, which the other one lists."""
    for name in WRITTEN:
        (RESULTS / name).write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
