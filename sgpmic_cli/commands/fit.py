"""`sgpmic fit`, `predict` and `report-clusters`: fit one model, use it, describe given clusters."""

import json
import re
import webbrowser
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import Output, Progress, facts, score_facts
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
    numbers = [int(each) for each in re.findall(r"\b0*[1-9]\d{0,8}\b", given or "")]
    if len(numbers) == 1 and re.fullmatch(r"\d+", given or ""):
        return numbers[0]
    if len(numbers) == 2 and re.fullmatch(r"\d+-\d+", given or "") and numbers[0] <= numbers[1]:
        return numbers[0], numbers[1]
    examples = "3, a range such as 2-8, or auto"
    raise UsageError(f"--clusters {shortened(given or '')}: give a number such as {examples}.")


Out = Annotated[
    Path | None,
    typer.Option(help="Output folder.", show_default="sgpmic-out/COMMAND/NAME of the table"),
]
Label = Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of class labels.")]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Ignore these columns, separated by commas.",
        callback=shared.split_columns,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="Separator of the cells, such as ';' or tab.",
        show_default="detected",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Text encoding, such as latin-1.", show_default="utf-8 or cp1252"),
]
Open = Annotated[bool, typer.Option("--open", help="Open the page in a browser.")]


def fit(  # noqa: PLR0913 - one parameter per option
    data: shared.Table,
    out: Out = None,
    force: shared.Force = False,
    label: Label = None,
    drop: Drop = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Number of clusters: a number such as 3, a range such as 2-8, or auto.",
            show_default="auto; with --method sgp-mic the number of classes",
            callback=parse_clusters,
        ),
    ] = None,
    method: Annotated[
        Literal["group-map", "sgp-mic"],
        typer.Option(
            help="group-map: groups and a map of your table; sgp-mic: the model of the paper."
        ),
    ] = "group-map",
    dims: Annotated[
        int | None, typer.Option(min=1, help="Number of latent dimensions.", show_default="2")
    ] = None,
    scale: Annotated[
        shared.Scale | None,
        typer.Option(
            help="none: keep the columns; global: divide all by one factor; standard: unit "
            "variance each.",
            show_default="standard; global with --method sgp-mic",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Random seed.")] = 0,
    threads: shared.Threads = 1,
    max_rows: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Fit a random subsample of this size, and assign the remaining rows.",
            show_default="10000",
        ),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    quiet: shared.Quiet = False,
    json_: shared.Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print every step.")] = False,
    open_page: Open = False,
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
    from sgpmic_cli.fitting import fit_rows, with_refit
    from sgpmic_cli.manifest import manifest
    from sgpmic_cli.result import tables, words

    output = Output(json_, quiet)
    output.verbose = verbose
    settings: dict[str, Any] = {"clusters": clusters, "method": method, "dims": dims}
    settings |= {"scale": scale, "seed": seed, "threads": threads, "max_rows": max_rows}
    format = TextFormat(separator, None, encoding)
    columns = tuple(drop or ())
    rows = load(data, table=TableOptions(label, drop=columns, format=format))
    out = shared.default_out("fit", rows.name) if out is None else out
    with output_folder(out, "fit", "replace" if force else "new") as folder:
        model = estimator_for(rows, **settings)
        with Progress(output) as progress:
            result = fit_rows(model, rows, progress)
            result = with_refit(result, model, progress)
        arguments = {"data": data, "label": label, "drop": columns, **settings}
        arguments |= {"separator": separator, "encoding": encoding}
        command = partial(fit_command, arguments)
        summary = tables.summary(result)
        # Print before drawing, which takes longer than a small fit.
        content = {**summary, "out": str(out)}
        unprinted = output.try_result(content, result_tables(result, out, command))
        for note in (*rows.notes, *result.warnings, *words.advice(result)):
            output.note(f"note: {note}")
        model.save(folder / "model.npz")
        tables.write_tables(result, folder)
        about = manifest(arguments, {rows.name: rows.sha256}, fit=summary)
        (folder / "manifest.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        from sgpmic_cli.result.page import result_page  # not needed before the answer
        from sgpmic_cli.result.plots import MAP_PICTURE, draw_map

        undrawn, texts = draw_map(result, folder), tables.file_texts(rows)
        page = result_page(result, folder / MAP_PICTURE, texts, arguments, out, command)
        (folder / "report.html").write_text(page, encoding="utf-8")
    for note in undrawn:
        output.note(f"note: {note}")
    if unprinted is not None:
        raise unprinted
    output.finish(f"report, model, tables and map in {out}")
    if open_page:
        webbrowser.open((out / "report.html").resolve().as_uri())


def predict(  # noqa: PLR0913 - one parameter per option
    model: Annotated[Path, typer.Argument(help="Model file, or the output folder of sgpmic fit.")],
    data: shared.Table,
    out: Out = None,
    force: shared.Force = False,
    label: Label = None,
    threads: shared.Threads = 1,
    separator: Separator = None,
    encoding: Encoding = None,
    quiet: shared.Quiet = False,
    json_: shared.Json = False,
) -> None:
    """Compute the clusters, probabilities and latent points of new rows under a fitted model.

    The table is prepared as in the fit: columns are matched by name, other columns are ignored, and
    text is encoded as before. Rows are read in blocks, so the table can be larger than memory.
    Writes labels.csv, which marks rows unlike those of the fit as unusual, and embedding.csv.
    """
    from sgpmic_cli import new_rows
    from sgpmic_cli.data.loading import rows_for
    from sgpmic_cli.files import output_folder
    from sgpmic_cli.model_file import load

    output = Output(json_, quiet)
    fitted = load(model, every_row=False).set_params(n_jobs=threads)
    recipe = new_rows.recipe_of(fitted)
    given = {"separator": separator, "encoding": encoding}
    given = {name: value for name, value in given.items() if value is not None}
    rows = rows_for(recipe, data, label=label, format=replace(recipe.format, **given))
    out = shared.default_out("predict", rows.name) if out is None else out
    with (
        output_folder(out, "predict", "replace" if force else "new") as folder,
        Progress(output, "reading the rows") as progress,
    ):
        summary = new_rows.assign_rows(fitted, rows, folder, progress)
    for note in summary["notes"]:
        output.note(f"note: {note}")
    sizes = ", ".join(map(str, summary["sizes"]))
    content = {
        "data": f"{summary['dataset']}: {summary['rows']} rows",
        "clusters": f"{summary['clusters']} of sizes {sizes}",
        "certainty": f"{summary['mean_probability']:.2f} mean probability of the cluster",
        "unusual rows": str(summary["unusual_rows"]),
        **score_facts(summary["scores"]),
    }
    output.result({**summary, "out": str(out)}, [facts(content)])
    output.finish(f"labels and embedding in {out}")


def report_clusters(  # noqa: PLR0913 - one parameter per option
    data: shared.Table,
    label: Label = None,
    drop: Drop = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The HTML file to write.", show_default="sgpmic-out/report-clusters/NAME.html"
        ),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    quiet: shared.Quiet = False,
    json_: shared.Json = False,
    open_page: Open = False,
) -> None:
    """Describe clusters that come from elsewhere: another method, a colleague, a known class.

    The column of --label has the cluster of each row; rows with -1 or a missing label are described
    as one more cluster, "no cluster". The page is that of `sgpmic fit`: verdicts, rules, profiles
    and a map. The clusters stay as they are; the groups of the first sentence are searched anew.
    """
    from sgpmic_cli.data import load
    from sgpmic_cli.files import write_whole
    from sgpmic_cli.fitting import cluster_codes, fit_labels
    from sgpmic_cli.pages import refuse_other_file
    from sgpmic_cli.result.page import page_alone
    from sgpmic_cli.result.tables import file_texts
    from sgpmic_cli.result.words import headline

    output, format = Output(json_, quiet), TextFormat(separator, None, encoding)
    options = TableOptions(label, drop=tuple(drop or ()), format=format, all_classes=False)
    rows = load(data, table=options)
    if rows.classes is None:
        raise UsageError("name the column that has the cluster of each row, with --label COLUMN.")
    codes, names = cluster_codes(rows.classes)
    default = shared.default_out("report-clusters", rows.name)
    out = default.with_name(f"{default.name}.html") if out is None else out
    refuse_other_file(out)
    with Progress(output) as progress:
        rows = replace(rows, labels=None, class_names=())
        result = fit_labels(rows, codes, names, progress)
    write_whole(out, page_alone(result, file_texts(rows)))
    verdicts = dict(zip(names, result.verdicts, strict=True))
    output.result({"out": str(out), "verdicts": verdicts}, [headline(result)])
    output.finish(f"page in {out}")
    if open_page:
        webbrowser.open(out.resolve().as_uri())
