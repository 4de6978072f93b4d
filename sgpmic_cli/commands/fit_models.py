"""Fit the estimator that the options of `sgpmic fit` describe, and describe it in the terminal."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sgpmic_cli._typing import Indices
from sgpmic_cli.commands.output import facts, rich_table, score_facts
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.result import fitting, interpretation
from sgpmic_cli.result.answer import verdict_in_words
from sgpmic_cli.result.fitting import Fitted
from sgpmic_cli.result.page import with_labels
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import as_option_value

Method = Literal["group-map", "sgp-mic"]

# Options of `sgpmic fit` whose name differs from the parameter of the estimator.
OPTIONS = {
    "n_clusters": "clusters",
    "n_components": "dims",
    "n_inducing": "inducing",
    "max_iter": "iterations",
    "n_resamples": "resamples",
}
# Arguments of a fit that need not be repeated: the defaults of the options.
USUAL = {
    "method": "group-map",
    "seed": 0,
    "n_jobs": 1,
    "decimal": ".",
}
PAPER_VARIANCE = 95.0  # percent of the variance that sets the latent dimensions
N_DOUBTFUL, N_TYPICAL = 5, 3  # rows that are shown
N_STEPS = 2  # commands that are shown; the page has all


def estimator_class(method: Method) -> type[LatentClusterer]:
    """Return the class of a method. The fit of one model does not import the other."""
    if method == "sgp-mic":
        from sgpmic_cli.paper.model.estimator import SGPMIC

        return SGPMIC
    from sgpmic_cli.clustering.group_map import GroupMap

    return GroupMap


def option_name(parameter: str) -> str:
    """Return the option of `sgpmic fit` that sets a parameter of the estimator."""
    return f"--{OPTIONS.get(parameter, parameter.replace('_', '-'))}"


def with_options(sentence: str) -> str:
    """Replace parameters in a message of the estimator, such as n_clusters=3, by options."""
    return re.sub(rf"\b({'|'.join(OPTIONS)})=", lambda match: f"{option_name(match[1])} ", sentence)


def fit_command(arguments: Mapping[str, Any], **changed: Any) -> str:
    """Return the command line of a fit, with changed arguments. Columns to drop are added.

    `arguments` are those of the manifest: `dataset`, the options of the model, and `table` with the
    fields of `TableOptions`.
    """
    options = dict(arguments.get("table") or {})
    if "drop" in changed:
        changed["drop"] = (*options.get("drop", ()), *changed["drop"])
    given = {**options, **options.pop("format", {}), **arguments, **changed}
    words = ["sgpmic", "fit", shlex.quote(given["dataset"])]
    others = ("dataset", "table", "format", "all_classes")
    for name, value in given.items():
        if name in others or value in (None, (), USUAL.get(name)):
            continue
        if name in ("columns", "drop"):
            word = as_option_value(value)
        elif isinstance(value, tuple):  # a range of numbers
            word = "-".join(map(str, value))
        else:
            word = "tab" if value == "\t" else shlex.quote(str(value))
        words += [option_name(name), word]
    return " ".join(words)


def estimator_for(
    data: Rows,
    method: Method,
    *,
    clusters: int | tuple[int, int] | Literal["auto"] | None = None,
    dims: int | None = None,
    variance: float | None = None,
    inducing: int | None = None,
    **settings: Any,
) -> LatentClusterer:
    """Create an estimator. Options that are None keep the estimator's default.

    With method="sgp-mic" the number of clusters defaults to the number of classes, as in the paper.
    The other settings are parameters of the estimator.
    """
    settings = {name: value for name, value in settings.items() if value is not None}
    if dims is not None and variance is not None:
        raise UsageError(
            f"--dims {dims} and --variance {variance:g} both set the latent dimensions: give one "
            "of them."
        )
    if variance is not None and not 1.0 <= variance < 100.0:
        raise UsageError(
            f"--variance {variance:g}: give a percentage from 1 to below 100, such as 95."
        )
    _check_settings(method, settings)
    if method == "sgp-mic":
        if not isinstance(clusters, int | None):
            raise UsageError(
                "the paper's model does not choose numbers: give, for example, --clusters 3 and "
                "--dims 2, or leave --method sgp-mic out."
            )
        if clusters is None and data.labels is None:
            raise UsageError(
                f"the number of classes in {data.name} is unknown: give the number of clusters, "
                "such as --clusters 3, or name the column of classes with --label COLUMN."
            )
        clusters = data.n_classes if clusters is None else clusters
        variance = PAPER_VARIANCE if dims is None and variance is None else variance
        if inducing is None:
            registered = find(data.name)
            default = estimator_class(method)().get_params()["n_inducing"]
            inducing = min(registered.inducing if registered else default, len(data.Y))
    given: dict[str, Any] = {
        "n_clusters": clusters,
        "n_components": dims if variance is None else variance / 100.0,
        "n_inducing": inducing,
    }
    settings |= {name: value for name, value in given.items() if value is not None}
    return estimator_class(method)(**settings)


def _check_settings(method: Method, settings: Mapping[str, Any]) -> None:
    """Raise UsageError for a setting that the estimator does not have."""
    for name in sorted(settings.keys() - estimator_class(method)().get_params().keys()):
        owner = "the paper's model: add --method sgp-mic, or drop it"
        if method == "sgp-mic":
            owner = "the default model: drop it, or leave --method sgp-mic out"
        raise UsageError(f"{option_name(name)} {settings[name]} belongs to {owner}.")


def fit_with_options(
    data: Rows,
    *,
    method: Method = "group-map",
    seed: int = 0,
    progress: fitting.FitProgressCallback = lambda _: None,
    **options: Any,
) -> Fitted:
    """Fit the model of `sgpmic fit` to a data set, with the options of the command."""
    model = estimator_for(data, method, random_state=seed, **options)
    return fitting.fit_dataset(model, data, progress=progress, wording=with_options)


def fit_labels(data: Rows, codes: Indices, names: Sequence[str], **options: Any) -> Fitted:
    """Fit the default model to given clusters (N,) of the rows, without refits."""
    given = {"clusters": len(names), "n_resamples": 0, "init": codes}
    return with_labels(fit_with_options(data, **{**options, **given}), codes, names)


def fit_tables(fitted: Fitted, out: Path, command: Callable[..., str]) -> Iterator[RenderableType]:
    """Yield the parts of the terminal output of a fit: the answer first, the evidence last."""
    yield Text(interpretation.answer_headline(fitted), style="bold")
    yield _clusters(fitted)
    for sentence in interpretation.how_sure(fitted):
        yield Text(sentence)
    for words, code in islice(interpretation.next_steps(fitted, out, command), N_STEPS):
        yield _code(words, code)
    yield _code("Map, profiles and doubtful rows are on the page:", str(out / "report.html"))
    yield Padding(_model(fitted), (1, 0, 0, 0))
    if interpretation.numbers_tried(fitted):
        yield _numbers_tried(fitted)


def _code(words: str, code: str) -> Padding:
    return Padding(Text.assemble(f"{words}\n  ", (code, "bold")), (1, 0, 0, 0))


def _clusters(fitted: Fitted) -> Table:
    """Return a table with one line for each cluster, after the groups that are no cluster."""
    columns: dict[str, list[str]] = {"verdict": [verdict_in_words(v) for v in fitted.verdicts]}
    # The paper's model has neither verdicts nor refits, so its clusters have a probability only.
    if not fitted.verdicts:
        columns = {"certainty": [f"{value:.2f}" for value in fitted.model.certainty_]}
    headings = ["cluster", "rows", *columns, "distinguishing features", "typical rows"]
    rows = [
        [
            f"group {g}",
            str(size),
            verdict,
            "\n".join(features),
            _typical(fitted, fitted.groups == g),
        ]
        for g, size, verdict, features in interpretation.groups_in_words(fitted)
    ]
    rows += [
        [
            str(m),
            str(size),
            *(values[m] if size else "–" for values in columns.values()),
            "\n".join(fitted.profile.in_words(m)) or "none",
            _typical(fitted, fitted.prediction.labels == m) if size else "",
        ]
        for m, size in enumerate(fitted.model.cluster_sizes_.tolist())
    ]
    return rich_table(headings, rows, left=["verdict", *headings[-2:]])


def _typical(fitted: Fitted, member: Any) -> str:
    rows = interpretation.typical_rows(fitted, member, N_TYPICAL)
    return "; ".join(interpretation.row_name(fitted.data, row) for row in rows)


def _model(fitted: Fitted) -> Table:
    """Return facts about the data, the model and the least certain rows."""
    summary = fitted.summary()
    model = [f"{summary['dims']} dimension{'s' * (summary['dims'] > 1)}"]
    if "kernel" in summary:
        model += [f"{summary['kernel']} kernel", summary["optimizer"]]
    model += [f"{summary['inducing']} inducing inputs", f"scale {summary['scale']}"]
    model += [f"{summary['iterations']} iterations", f"bound {summary['lower_bound']:.4f}"]
    content = {
        "data": f"{summary['dataset']}: {summary['rows']} rows, {fitted.n_columns} columns",
        "map": ", ".join([*model, f"seed {summary['seed']}"]),
        **score_facts(summary["scores"]),
    }
    if doubtful := interpretation.doubtful_rows(fitted, N_DOUBTFUL):
        content["least certain rows"] = "; ".join(
            f"{name} ({first}: {p_first:.2f}, {second}: {p_second:.2f})"
            for name, first, p_first, second, p_second in doubtful
        )
    return facts(content)


def _numbers_tried(fitted: Fitted) -> Table:
    heading, body = interpretation.numbers_table(fitted)
    rows = [[Text(cell, style="bold" if row[-1] else "") for cell in row] for row in body]
    return rich_table(heading, rows, left=[""])
