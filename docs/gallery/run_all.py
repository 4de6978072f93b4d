"""Run all examples of the gallery and write their page: text, picture, output, code."""

import ast
import runpy
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib
import matplotlib.pyplot

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "pictures"
STYLE: Any = {
    "font.size": 8,
    "figure.dpi": 110,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    # The palette of Okabe and Ito, safe for colour-blind readers.
    "axes.prop_cycle": matplotlib.cycler(color=["#0072B2", "#E69F00", "#009E73", "#D55E00"]),
}
ORDER = (
    "first_fit",
    "data_frame",
    "how_many_clusters",
    "uncertain_rows",
    "new_rows",
    "shapes",
    "back_to_columns",
    "in_a_pipeline",
    "own_start",
    "where_it_pays",
    "paper_setting",
)
HEAD = """# Gallery

This page is for Python users who want to see what the estimators do. Each example has a picture,
its output and its code, which you can paste into a notebook. The code is a script in
`docs/gallery/`, and `make docs` runs all of them.
"""


def draw(name: str) -> None:
    """Run one example, and write its last figure."""
    matplotlib.use("Agg")
    matplotlib.rcParams.update(STYLE)
    runpy.run_path(str(HERE / f"{name}.py"))
    PICTURES.mkdir(exist_ok=True)
    # No version of matplotlib in the file, so that equal drawings give equal files.
    matplotlib.pyplot.savefig(PICTURES / f"{name}.png", metadata={"Software": None})


def run(name: str) -> str:
    """Run one example in a new process and return its output."""
    # The flag -P keeps this folder off the path: an example may import only what users have.
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-P", __file__, name], cwd=folder, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise SystemExit(f"docs/gallery/{name}.py failed:\n{done.stderr}")
    return done.stdout


def entry(name: str, output: str) -> str:
    """Return one example as Markdown."""
    source = (HERE / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, _, text = (ast.get_docstring(tree) or "").partition("\n\n")
    code = "\n".join(source.splitlines()[tree.body[0].end_lineno or 0 :]).strip()
    parts = [f"## {title.rstrip('.')}", text, f"![{title}](pictures/{name}.png)"]
    parts += [f"```text\n{output.rstrip()}\n```", f"```python\n{code}\n```"]
    return "\n\n".join(part for part in parts if part)


def main() -> None:
    """Run all examples and write the page."""
    page = [HEAD]
    for name in ORDER:
        print(f"  {name}", file=sys.stderr)
        page.append(entry(name, run(name)))
    (HERE / "index.md").write_text(
        "\n\n".join(part.strip() for part in page) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    draw(sys.argv[1]) if len(sys.argv) > 1 else main()
