"""Print the oldest dependencies that pyproject.toml allows, as requirements: 'numpy>=2.0' becomes 'numpy~=2.0.0'."""

import tomllib
from pathlib import Path


def oldest(requirement: str) -> str:
    """The oldest minor release, with its own later mends."""
    name, version = requirement.split(">=")
    return f"{name}~={version}.0"


if __name__ == "__main__":
    project = tomllib.loads(
        (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    print("\n".join(map(oldest, project["dependencies"])))
