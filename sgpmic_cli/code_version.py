"""The version of a method's code: a hash that moves when, and only when, its records have to be computed anew.

It covers the method's module, the modules of this package that it imports, theirs in turn, and the scores; and the
versions of the libraries that do the arithmetic. Comments and docstrings do not count. A method from elsewhere is its
module, those of its own package or written beside it that it imports, and the versions of the distributions it uses;
nothing of it is imported here. Sources are read once, when they are first asked for: edits during a run are none of its
business.
"""

import ast
import hashlib
import importlib.util
import sys
import sysconfig
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

PACKAGE = "sgpmic_cli"
SCORES = f"{PACKAGE}.scores"
LIBRARIES = ("numpy", "scipy", "scikit-learn")
PACKAGES = {
    "site-packages",
    "dist-packages",
}  # of the environment, of a system beneath it, or of a user
STANDARD = {Path(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib")}
# Wording, typing, refusing and keeping: nothing in these, or in the modules of these folders, changes a number. What
# `data` reads counts by its own hash.
IGNORED = tuple(
    f"{PACKAGE}.{name}."
    for name in (
        "errors",
        "_version",
        "_typing",
        "safe_text",
        "estimator_base.parameter_checks",
        "files",
        "data",
    )
)


@cache
def code_version(module: str) -> str:
    """Hex digest of everything the results of a method in `module` depend on."""
    modules = sorted(_reached(module) | _reached(SCORES))
    digest = hashlib.sha256(_libraries().encode())
    for name in modules:
        digest.update(f"{name}\n{_skeleton(name)}\n".encode())
    if not _ours(module):
        tops = {
            name.partition(".")[0]
            for reached in modules
            if not _ours(reached)
            for name in _named(reached)
        }
        for top in sorted({module.partition(".")[0], *tops} - sys.stdlib_module_names):
            digest.update(_distribution(top).encode())
    return digest.hexdigest()[:16]


def constructor(module: str, name: str) -> frozenset[str] | None:
    """Parameters of a class's constructor as its source has them; None when only an import can tell.

    A table whose runs are all at hand is then drawn without importing a single method.
    """
    for node in _tree(module).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            for item in node.body:
                if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                    arguments = item.args
                    if arguments.vararg or arguments.kwarg:
                        return None
                    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                    return frozenset(argument.arg for argument in named[1:])
            inherited = (
                constructor(module, base.id) for base in node.bases if isinstance(base, ast.Name)
            )
            return next((parameters for parameters in inherited if parameters is not None), None)
    return None


@cache
def _libraries() -> str:
    return " ".join(f"{library} {version(library)}" for library in LIBRARIES)


def _ours(module: str) -> bool:
    return module == PACKAGE or module.startswith(PACKAGE + ".")


def _reached(module: str) -> set[str]:
    """The module and all modules of its package, or written beside it, that it leads to."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen and not f"{name}.".startswith(IGNORED):
            seen.add(name)
            # Of an installed package the version tells what the modules behind this one are.
            waiting += _imports(name) if _ours(name) or _written_here(name) else ()
    return seen


@cache
def _imports(module: str) -> tuple[str, ...]:
    """The modules of the same package, or written beside it, that a module imports."""
    return tuple(name for name in _named(module) if _together(module, name))


@cache
def _named(module: str) -> tuple[str, ...]:
    found: list[str] = []
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = _absolute(module, node)
            found += [
                _home(home, alias.name) if _together(module, home) else home for alias in node.names
            ]
    return tuple(found)


def _together(module: str, other: str) -> bool:
    """Whether two modules are of the same package, or both written by the user: not installed, not Python's."""
    if module.partition(".")[0] == other.partition(".")[0]:
        return True
    return not _ours(module) and not _ours(other) and _written_here(module) and _written_here(other)


@cache
def _written_here(module: str) -> bool:
    """Whether a module lies outside the folders of installed packages."""
    origin = _origin(module)
    if origin is None or PACKAGES.intersection(origin.parts):
        return False
    return not any(origin.is_relative_to(folder) for folder in STANDARD)


def _absolute(module: str, node: ast.ImportFrom) -> str:
    """The module that `from ... import` names, dots resolved."""
    if node.level == 0:
        return node.module or ""
    above = module.split(".")[: None if _is_package(module) else -1]
    above = above[: len(above) - (node.level - 1)]
    return ".".join([*above, *([node.module] if node.module else [])])


def _home(module: str, name: str) -> str:
    """Where `from module import name` leads: a submodule, what a package re-exports, or the module itself.

    Re-exports are followed by name, so that using one function of a package does not depend on its neighbours.
    """
    if _source(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    for node in ast.walk(_tree(module)) if _is_package(module) else ():
        if isinstance(node, ast.ImportFrom) and any(
            (a.asname or a.name) == name for a in node.names
        ):
            return _absolute(module, node)
    return module


def _is_package(module: str) -> bool:
    source = _source(module)
    return source is not None and source.name == "__init__.py"


@cache
def _source(module: str) -> Path | None:
    if _ours(module):
        return _source_here(module)
    origin = _origin(module)
    return origin if origin is not None and origin.suffix == ".py" else None


@cache
def _origin(module: str) -> Path | None:
    """The file of a module from elsewhere, found without importing the packages above it: they may do anything."""
    spec, folders, name = None, None, ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        try:
            found = (
                finder.find_spec(name, folders)
                for finder in sys.meta_path
                if hasattr(finder, "find_spec")
            )
            spec = next((each for each in found if each is not None), None)
        except Exception:  # finders are other people's, too
            return None
        if spec is None:
            return None
        folders = spec.submodule_search_locations or []
    return Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None


def _source_here(module: str) -> Path | None:
    """A module of this package, found by its path: asking the import system would import the folders above it."""
    root = importlib.util.find_spec(PACKAGE)
    if root is None or root.origin is None:
        return None
    stem = Path(root.origin).parent.joinpath(*module.split(".")[1:])
    return next(
        (
            path
            for path in (stem / "__init__.py", stem.with_name(stem.name + ".py"))
            if path.is_file()
        ),
        None,
    )


@cache
def _tree(module: str) -> ast.Module:
    source = _source(module)
    try:
        return (
            ast.parse(source.read_bytes())
            if source is not None
            else ast.Module(body=[], type_ignores=[])
        )
    except (
        SyntaxError,
        ValueError,
        RecursionError,
        OSError,
    ):  # the import will say so, where it comes to one
        return ast.Module(body=[], type_ignores=[])


@cache
def _skeleton(module: str) -> str:
    """The module's syntax tree without docstrings; of compiled code the bytes."""
    tree = _tree(module)
    origin = None if _ours(module) else _origin(module)
    if origin is not None and not tree.body and origin.is_file():
        return hashlib.sha256(origin.read_bytes()).hexdigest()
    for node in ast.walk(tree):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:]
    return ast.dump(tree)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return (
        packages_distributions()
    )  # reads the list of files of every package there is, half a second


def _distribution(module: str) -> str:
    names = _distributions().get(module.partition(".")[0], [])
    try:
        return f"{names[0]} {version(names[0])}" if names else ""
    except PackageNotFoundError:
        return ""
