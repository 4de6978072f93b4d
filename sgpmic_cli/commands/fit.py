"""`sgpmic fit`, `predict` and `report-clusters`: fit one model, use it, describe given clusters."""

import json
import re
import webbrowser
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, facts, progress_bar, score_facts
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.options import TableOptions, TextFormat
from sgpmic_cli.text import shortened


def parse_clusters(given: str | None) -> int | tuple[int, int] | str | None:
    """Parse the value of `--clusters`.

    Examples
    --------
    >>> parse_clusters("3"), parse_clusters("2-8"), parse_clusters("auto"), parse_clusters(None)
    (3, (2, 8), 'auto', None)
    """
    if given in (None, "auto"):
        return given
    numbers = re.fullmatch(r"0*([1-9]\d{0,8})(?:-0*([1-9]\d{0,8}))?", given or "")
    if numbers and numbers[2] is None:
        return int(numbers[1])
    if numbers and int(numbers[1]) <= int(numbers[2]):
        return int(numbers[1]), int(numbers[2])
    examples = "3, a range such as 2-8, or auto"
    raise UsageError(f"--clusters {shortened(given or '')}: give a number such as {examples}.")


def fit(  # noqa: PLR0913 - one parameter per option
    data: shared.Data,
    out: shared.OutOfTable = None,
    force: shared.Force = False,
    label: shared.Label = None,
    drop: shared.Drop = None,
    log: shared.Log = None,
    numbers_only: bool = Option(False, "--numbers-only", help="Leave out text and codes."),
    clusters: str | None = Option(
        None,
        metavar="NUMBER",
        help="A number such as 3, a range such as 2-8, or auto.",
        show_default="auto; with --method sgp-mic the number of classes",
        callback=parse_clusters,
    ),
    method: Literal["group-map", "sgp-mic"] = Option(
        "group-map",
        help="group-map: groups and a map of your table; sgp-mic: the model of the paper.",
    ),
    protocol: Literal["as-run", "as-stated"] | None = Option(
        None,
        help="Settings of sgp-mic in Table 2: as-run reproduces its numbers, as-stated its text.",
        show_default="settings for own data",
    ),
    dims: int | None = Option(None, min=1, help="Latent dimensions.", show_default="2"),
    variance: int | None = Option(
        None,
        min=1,
        max=99,
        help="Percentage of explained variance that sets the dimensions of sgp-mic.",
        show_default="95 with --protocol",
    ),
    kernel: Literal["rbf", "linear", "ard"] | None = Option(
        None, help="Kernel of sgp-mic; ard: rbf with a width per dimension.", show_default="rbf"
    ),
    scale: shared.Scale | None = Option(
        None,
        help="none: keep the columns; global: divide all by one factor; standard: unit variance.",
        show_default="standard",
    ),
    seed: int = Option(0, min=0, max=2**32 - 1, help="Random seed."),
    threads: shared.Threads = 1,
    max_rows: int | None = Option(
        None,
        min=2,
        help="Fit a random subsample of this size, and assign the remaining rows.",
        show_default="10000",
    ),
    separator: shared.Separator = None,
    encoding: shared.Encoding = None,
    quiet: shared.Quiet = False,
    json_: shared.Json = False,
    verbose: bool = Option(False, "--verbose", help="Print every step, and numbers of the map."),
    open_page: shared.Open = False,
) -> None:
    """Cluster a data set, and say which rows are groups and which are slices of a continuum.

    Numeric columns are scaled (--scale), dates become days, text columns and codes with few values
    are encoded, and id columns name the rows. Constant columns and other text are left out. Notes
    describe this preparation; `sgpmic predict` repeats it for new rows.

    Writes report.html, table-with-clusters.csv (the table with the results), model.npz, labels.csv,
    embedding.csv, profile.csv, trace.csv, manifest.json and the map as PNG. If the fit fails,
    nothing is written.
    """
    from sgpmic_cli.commands.fit_models import estimator_for, fit_command, result_tables
    from sgpmic_cli.data import load
    from sgpmic_cli.files import output_folder
    from sgpmic_cli.fitting import add_refit, fit_rows
    from sgpmic_cli.manifest import manifest
    from sgpmic_cli.result import page, plots, tables, words

    output = Output(json_, quiet, verbose, width=80)
    settings: dict[str, Any] = {"clusters": clusters, "method": method, "protocol": protocol}
    settings |= {"dims": dims, "variance": variance, "kernel": kernel}
    settings |= {"scale": scale, "seed": seed, "threads": threads, "max_rows": max_rows}
    table: Any = {"drop": tuple(drop or ()), "log": tuple(log or ()), "numbers_only": numbers_only}
    format = TextFormat(separator, None, encoding)
    rows = load(data, table=TableOptions(label, format=format, **table))
    out = out or shared.default_out("fit", rows.name)
    with output_folder(out, "fit", "replace" if force else "new") as folder:
        rows, model = estimator_for(rows, **settings)
        with progress_bar(output, "initialising the fit") as progress:
            result = fit_rows(model, rows, progress)
            add_refit(result, model, progress)
        arguments = {"data": data, "label": label, **table, **settings}
        arguments |= {"separator": separator, "encoding": encoding}
        command, summary = partial(fit_command, arguments), tables.summary(result)
        model.save(folder / "model.npz")
        tables.write_tables(result, folder)
        about = manifest(arguments, {rows.name: rows.sha256}, fit=summary)
        (folder / "manifest.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        undrawn = plots.draw_map(result, folder)
        report = page.result_page(result, folder / plots.MAP_PICTURE, arguments, out, command)
        (folder / "report.html").write_text(report, encoding="utf-8")
    for note in (*rows.notes, *result.warnings, *words.advice(result), *undrawn):
        output.note(f"note: {note}")
    if dims is not None and summary["dims"] < dims:
        output.note(f"note: the map has {summary['dims']} dimensions; these rows have no more.")
    output.result({**summary, "out": str(out)}, result_tables(result, out, command, verbose))
    output.finish(f"report, model, tables and map in {out}")
    if open_page:
        webbrowser.open((out / "report.html").resolve().as_uri())


def predict(  # noqa: PLR0913 - one parameter per option
    model: Annotated[Path, Argument(help="Model file, or the output folder of sgpmic fit.")],
    data: shared.Data,
    out: shared.OutOfTable = None,
    force: shared.Force = False,
    label: shared.Label = None,
    threads: shared.Threads = 1,
    separator: shared.Separator = None,
    encoding: shared.Encoding = None,
    quiet: shared.Quiet = False,
    json_: shared.Json = False,
) -> None:
    """Compute the clusters, probabilities and latent points of new rows under a fitted model.

    The table is prepared as in the fit: columns are matched by name, other columns are ignored, and
    text is encoded as before. Writes labels.csv, which marks rows unlike those of the fit as
    unusual, and embedding.csv.
    """
    from sgpmic_cli.data.loading import rows_for
    from sgpmic_cli.files import output_folder
    from sgpmic_cli.fitting import assign_rows, recipe_of
    from sgpmic_cli.model_file import load

    output = Output(json_, quiet)
    fitted = load(model, every_row=False).set_params(n_jobs=threads)
    recipe = recipe_of(fitted)
    given = {"separator": separator, "encoding": encoding}
    known = {name: value for name, value in given.items() if value is not None}
    rows = rows_for(recipe, data, label=label, format=replace(recipe.format, **known))
    out = out or shared.default_out("predict", rows.name)
    with (
        output_folder(out, "predict", "replace" if force else "new") as folder,
        progress_bar(output, "reading the rows") as progress,
    ):
        summary = assign_rows(fitted, rows, folder, progress)
    for note in summary["notes"]:
        output.note(f"note: {note}")
    content = {
        "data": f"{summary['dataset']}: {summary['rows']} rows",
        "clusters": f"{summary['clusters']} of sizes {', '.join(map(str, summary['sizes']))}",
        "probability": f"{summary['mean_probability']:.2f} on average for the cluster",
        "unusual rows": summary["unusual_rows"],
        **score_facts(summary["scores"]),
    }
    output.result({**summary, "out": str(out)}, [facts(content)])
    output.finish(f"labels and embedding in {out}")


def report_clusters(  # noqa: PLR0913 - one parameter per option
    data: shared.Data,
    label: shared.Label = None,
    drop: shared.Drop = None,
    out: Path | None = Option(
        None, help="The HTML file.", show_default="sgpmic-out/report-clusters/NAME.html"
    ),
    separator: shared.Separator = None,
    encoding: shared.Encoding = None,
    quiet: shared.Quiet = False,
    json_: shared.Json = False,
    open_page: shared.Open = False,
) -> None:
    """Describe clusters that come from elsewhere: another method, a colleague, a known class.

    The column of --label has the cluster of each row; rows with -1 or a missing label are described
    as one more cluster, "no cluster". The page is that of `sgpmic fit`: verdicts, rules, profiles
    and a map. The clusters stay as they are; whether they are groups is judged anew.
    """
    from sgpmic_cli.data import load
    from sgpmic_cli.files import write_whole
    from sgpmic_cli.fitting import cluster_codes, fit_labels
    from sgpmic_cli.pages import refuse_other_file
    from sgpmic_cli.result.page import page_alone
    from sgpmic_cli.result.words import headline

    output, format = Output(json_, quiet), TextFormat(separator, None, encoding)
    options = TableOptions(label, drop=tuple(drop or ()), format=format, all_classes=False)
    rows = load(data, table=options)
    if rows.classes is None:
        raise UsageError("name the column that has the cluster of each row, with --label COLUMN.")
    codes, names = cluster_codes(rows.classes)
    default = shared.default_out("report-clusters", rows.name)
    out = out or default.with_name(f"{default.name}.html")
    refuse_other_file(out)
    with progress_bar(output) as progress:
        rows = replace(rows, labels=None, class_names=())
        result = fit_labels(rows, codes, names, progress)
    write_whole(out, page_alone(result))
    verdicts = dict(zip(names, result.verdicts, strict=True))
    output.result({"out": str(out), "verdicts": verdicts}, [headline(result)])
    output.finish(f"page in {out}")
    if open_page:
        webbrowser.open(out.resolve().as_uri())
