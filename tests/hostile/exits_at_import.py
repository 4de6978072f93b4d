"""A third-party module that exits when it is imported."""

import sys

sys.exit(5)
