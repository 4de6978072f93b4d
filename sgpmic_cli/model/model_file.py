"""Load a model file of either estimator."""

from sgpmic_cli._typing import PathLike
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.model.paper.estimator import PaperSGPMIC


def load(path: PathLike) -> SGPMIC | PaperSGPMIC:
    """Read a model file that `save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file to read.

    Returns
    -------
    model : SGPMIC or PaperSGPMIC
        The fitted estimator that the file holds.
    """
    return SGPMIC.load(path)
