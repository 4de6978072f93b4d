"""Identify the code that a stored result depends on.

The version of a method's code is a hash of the versions of sgpmic, NumPy, SciPy and scikit-learn,
and of the source files of the method, of the scores, and of every module of this package that they
import, directly or through other modules, without comments and docstrings. The modules in `IGNORED`
change no number: rows are identified by their own hash, however they were read.

A third-party method that is installed is identified by the version of its distribution, another
one by the source files of its package, or by all Python files beside a single file. Third-party
code is never imported here.
"""

import ast
import hashlib
import re
from functools import cache
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

from sgpmic_cli._version import __version__

PACKAGE = "sgpmic_cli"
ROOT = Path(__file__).parent
LIBRARIES = ("numpy", "scipy", "scikit-learn")
IGNORED = {"_typing", "_version", "code_version", "data", "errors", "files", "interrupts"}
IGNORED |= {"tables", "text"}
_IMPORT = re.compile(rf"^[ \t]*from ({PACKAGE}(?:\.\w+)*) import (\([^)]*\)|[^(\n]*)$", re.M)


@cache
def code_version(target: str) -> str:
    """Return a hash of the code that the results of a method, given as "module:Class", depend on.

    Sources are read once per process, so an edit during a run does not affect that run.
    """
    module = target.partition(":")[0]
    versions = [__version__, *(f"{library} {version(library)}" for library in LIBRARIES)]
    if module.startswith(f"{PACKAGE}."):
        files = package_sources(module)
    else:
        files, distributions = _third_party(module)
        versions += distributions
    digest = hashlib.sha256(" ".join(versions).encode())
    for path in sorted(files | package_sources(f"{PACKAGE}.scores")):
        digest.update(path.name.encode() + without_docstrings(path))
    return digest.hexdigest()[:16]


def without_docstrings(path: Path) -> bytes:
    """Return the syntax tree of a source file without comments and docstrings."""
    return _without_docstrings(path.read_bytes())


@cache
def _without_docstrings(source: bytes) -> bytes:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                del node.body[0]
    return ast.dump(tree).encode()


def package_sources(module: str) -> set[Path]:
    """Return the files of a module and of all modules of this package that it imports."""
    sources: set[Path] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _source(name)
        if path is None or path in sources or name.split(".")[1] in IGNORED:
            continue
        sources.add(path)
        for imported, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
            # `from package import name` may import the module `package.name`.
            waiting += [imported, *(f"{imported}.{each}" for each in re.findall(r"\w+", names))]
    return sources


def _source(module: str) -> Path | None:
    """Return the file of a module of this package, or None if there is no such module."""
    parts = module.split(".")[1:]
    if not parts:
        return None
    stem = ROOT.joinpath(*parts)
    candidates = (stem.with_name(f"{stem.name}.py"), stem / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


def _third_party(module: str) -> tuple[set[Path], list[str]]:
    """Return the source files of a third-party module, or the versions of its distributions."""
    top = module.partition(".")[0]
    spec = find_spec(top) if top else None
    if spec is None or spec.origin is None:
        return set(), []
    folder = Path(spec.origin).parent
    if {"site-packages", "dist-packages"}.intersection(folder.parts):
        return set(), [f"{name} {version(name)}" for name in packages_distributions().get(top, [])]
    return set(folder.rglob("*.py") if spec.submodule_search_locations else folder.glob("*.py")), []
