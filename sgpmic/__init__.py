"""Public names of the package: `import sgpmic` gives what `import sgpmic_cli` gives."""

from sgpmic_cli import *  # noqa: F403
from sgpmic_cli import __all__ as __all__


def __dir__() -> list[str]:
    return __all__
