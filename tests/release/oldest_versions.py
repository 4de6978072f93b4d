"""Print the oldest dependencies that pyproject.toml allows: 'numpy>=2.0' as 'numpy~=2.0.0'."""

import tomllib
from pathlib import Path


def oldest(requirement: str) -> str:
    """Return the requirement of the oldest minor release with its bug fixes."""
    name, version = requirement.split(">=")
    return f"{name}~={version}.0"


if __name__ == "__main__":
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(map(oldest, tomllib.loads(text)["project"]["dependencies"])))
