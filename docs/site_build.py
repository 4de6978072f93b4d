"""Changes that the site needs and Markdown on GitHub does not: notebooks, mathematics, docstrings.

mkdocs.yml names this file as a hook of MkDocs and as an extension of griffe, the docstring parser.
"""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import griffe
from latex2mathml.converter import convert
from mkdocs.structure.files import File

# A parameter of a numpydoc docstring; its default has a column of its own.
TYPE = re.compile(r"^(\w[\w, *]*?) : (.+?)(?:, default=.+)?$", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Render code blocks of the language `math` as MathML, which browsers draw without a script."""
    fence = {"name": "math", "class": "math", "format": formulas}
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [fence]}
    return config


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Replace each notebook by a page."""
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        files.remove(notebook)
        page = notebook.src_uri.replace(".ipynb", ".md")
        files.append(File.generated(config, page, content=notebook_page(notebook.abs_src_path)))
    return files


def notebook_page(path: str) -> str:
    """Return a notebook as Markdown."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    parts, heading = [], ""
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            heading = [heading, *re.findall("^#+ (.+)", source, re.MULTILINE)][-1]
            continue
        command = source.startswith("!")
        parts.append(f"```console\n$ {source[1:]}\n```" if command else f"```python\n{source}\n```")
        parts += [output_block(output, heading) for output in cell["outputs"]]
    return "\n\n".join(parts)


def output_block(output: dict[str, Any], heading: str) -> str:
    """Return an output of a cell as Markdown. A picture is described by the heading above it."""
    data = output.get("data", {"text/plain": output.get("text")})
    if "image/png" not in data:
        return "```text\n" + "".join(data["text/plain"]).strip("\n") + "\n```"
    width = output["metadata"]["image/png"]["width"]
    address = f"data:image/png;base64,{data['image/png']}"
    return f'<img src="{address}" width="{width}" alt="Picture: {heading}">'


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let links to notebooks lead to their pages."""
    return re.sub(r"(\]\([\w./-]+)\.ipynb\b", r"\1.md", markdown)


def on_page_content(html: str, **_: Any) -> str:
    r"""Render formulas in text, $`like this`$, and show `\|` in the code of a table as `|`."""
    html = re.sub(r"\$<code>([^<]*)</code>\$", lambda found: convert(unescape(found[1])), html)
    return re.sub(r"<code>[^<]*</code>", lambda code: code[0].replace(r"\|", "|"), html)


def formulas(source: str, *_: Any, **__: Any) -> str:
    """Return a block of LaTeX as MathML."""
    return f'<div class="math">{convert(source, display="block")}</div>'


class PlainDocstring(griffe.Docstring):
    """A docstring whose types are shown as they are written, with a list of references.

    griffe would read the types as Python code, in which strings such as "auto" lose their quotes.
    """

    def parse(self, *args: Any, **options: Any) -> list[griffe.DocstringSection]:
        """Parse the docstring, and put back the types."""
        self.value = re.sub(r"^\.\. \[(\d+)\] ", r"\1. ", self.value, flags=re.MULTILINE)
        types = dict(TYPE.findall(self.value))
        sections = super().parse(*args, **options)
        for section in sections:
            for element in section.value if isinstance(section.value, list) else ():
                if getattr(element, "name", None) in types:
                    element.annotation = types[element.name]
        return sections


class PlainDocstrings(griffe.Extension):
    """Replace the docstrings of a package by plain ones."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Replace one docstring."""
        if found := obj.docstring:
            obj.docstring = PlainDocstring(
                found.value,
                lineno=found.lineno,
                endlineno=found.endlineno,
                parent=obj,
                parser=found.parser,
                parser_options=found.parser_options,
            )
