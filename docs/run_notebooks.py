"""Run the notebooks in docs/notebooks, and store their outputs.

`python docs/run_notebooks.py [NAME ...]` runs the named notebooks, or all of them. Each one has a
process and an empty folder of its own. Jupyter is not needed: a cell is Python code with commands
in lines `!command`. Its outputs are the standard output, the value of its last expression and its
figures.
"""

import ast
import base64
import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parent / "notebooks"
PIXELS = 1500  # width of a picture
SHOWN = 100  # pixels for an inch at which a notebook shows it
STYLE = {
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
COMMAND = re.compile(r"^!((?:.*\\\n)*.*)$", re.MULTILINE)
Notebook = dict[str, Any]
Output = dict[str, Any]


def notebooks() -> list[Path]:
    """Return all notebooks."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def read(path: Path) -> Notebook:
    """Read a notebook."""
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def run(path: Path) -> Notebook:
    """Return a notebook with the outputs of a new process."""
    # The flag -P keeps docs/ off the path: a notebook may import only what users have.
    command = [sys.executable, "-P", str(Path(__file__).resolve()), "--here", str(path)]
    # The commands of notebooks are those of this environment, in 80 columns without colours.
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": paths, "COLUMNS": "80", "NO_COLOR": "1"}
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise SystemExit(f"{path.name} failed:\n{done.stderr}")
    notebook: Notebook = json.loads(done.stdout)
    return notebook


def run_here(notebook: Notebook) -> Notebook:
    """Run the cells in this process and folder, and return the notebook with their outputs."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update(STYLE)
    sys.path.insert(0, "")  # modules that a cell writes
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
            cell["outputs"] = outputs("".join(cell["source"]), names)
    return notebook


def outputs(source: str, names: dict[str, Any]) -> list[Output]:
    """Run the source of a cell, and return its text, its value and its figures."""
    import matplotlib.pyplot as plt

    tree, value = ast.parse(COMMAND.sub(lambda line: f"_command({line[1]!r})", source)), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        names["_command"] = command
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    found = []
    if text := printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": lines(text)})
    if value is not None and not source.rstrip().endswith(";"):
        data = {"text/plain": lines(repr(value))}
        result = {"output_type": "execute_result", "execution_count": None, "metadata": {}}
        found.append({**result, "data": data})
    found += [picture(plt.figure(number)) for number in plt.get_fignums()]
    plt.close("all")
    return found


def command(line: str) -> None:
    """Run a command of a notebook, and print its standard output."""
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{line}\n{done.stdout}{done.stderr}")
    print("\n".join(each.rstrip() for each in done.stdout.strip("\n").splitlines()))


def picture(figure: Any) -> Output:
    """Return a figure as an output."""
    content = io.BytesIO()
    # No version of matplotlib in the file, so that equal drawings give equal files.
    dots = PIXELS / figure.get_figwidth()
    figure.savefig(content, dpi=dots, format="png", metadata={"Software": None})
    data = {"image/png": base64.b64encode(content.getvalue()).decode()}
    return {
        "output_type": "display_data",
        "data": data,
        "metadata": {"image/png": {"width": round(SHOWN * figure.get_figwidth())}},
    }


def lines(text: str) -> list[str]:
    """Return a text as notebooks store it."""
    return text.rstrip("\n").splitlines(keepends=True)


def text_outputs(notebook: Notebook) -> list[str]:
    """Return the texts of a notebook's outputs, without pictures."""
    found = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    texts = [output.get("text") or output["data"].get("text/plain") for output in found]
    return ["".join(text) for text in texts if text]


def main() -> None:
    """Run notebooks, and write them."""
    if sys.argv[1:2] == ["--here"]:
        json.dump(run_here(read(Path(sys.argv[2]))), sys.stdout)
        return
    for path in [NOTEBOOKS / f"{name}.ipynb" for name in sys.argv[1:]] or notebooks():
        print(f"  {path.name}", file=sys.stderr)
        text = json.dumps(run(path), indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
