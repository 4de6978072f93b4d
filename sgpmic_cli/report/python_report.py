"""Write the page of `sgpmic fit` for a model that was fitted in Python."""

from pathlib import Path
from tempfile import TemporaryDirectory

from sgpmic_cli._typing import PathLike, Table
from sgpmic_cli.figures.one_fit import draw_all
from sgpmic_cli.files.atomic import write_whole
from sgpmic_cli.report.fit_page import fit_page
from sgpmic_cli.single_fit.settings import Model
from sgpmic_cli.single_fit.training_data import fitted_of


def write_report(model: Model, X: Table, path: PathLike) -> None:
    """Write a page about a fit: clusters, profiles, map, doubtful rows and settings.

    Parameters
    ----------
    model : SGPMIC or PaperSGPMIC
        A fitted model.
    X : array-like or DataFrame of shape (n_samples, n_features)
        The rows that the model was fitted to.
    path : str or path-like
        The HTML file to write. It needs no other file and no network.
    """
    path = Path(path)
    fitted = fitted_of(model, X, path.stem)
    with TemporaryDirectory() as folder:
        draw_all(fitted, Path(folder))
        page = fit_page(fitted, Path(folder), None, {})
    write_whole(path, page)
