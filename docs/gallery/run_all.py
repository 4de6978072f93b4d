"""Run all examples of the gallery and write their page: text, picture, output, code."""

import ast
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ORDER = (
    "first_fit",
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
its output and its code. The code is a script in `docs/gallery/`, and `make docs` runs all of them.
"""


def run(name: str) -> str:
    """Run one example and return its output."""
    done = subprocess.run(
        [sys.executable, str(HERE / f"{name}.py")], cwd=HERE, capture_output=True, text=True
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
    main()
