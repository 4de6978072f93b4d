"""`sgpmic fit`, `predict` and `report-clusters`: fit one model, use it, describe given clusters."""

import json
import re
import webbrowser
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import typer

from sgpmic_cli.commands import shared_options as shared
from sgpmic_cli.commands.output import FitProgress, Output, facts, score_facts
from sgpmic_cli.errors import UsageError
from sgpmic_cli.text import shortened

PAPER_PANEL = "The paper's model"
NAME = shared.option("Column that names the rows on the page; names may repeat.", metavar="COLUMN")
_paper_option = partial(shared.option, rich_help_panel=PAPER_PANEL)


def parse_clusters(given: str | None) -> int | tuple[int, int] | str | None:
    """Parse the value of `--clusters`.

    Examples
    --------
    >>> parse_clusters("3"), parse_clusters("2-8"), parse_clusters("auto"), parse_clusters(None)
    (3, (2, 8), 'auto', None)
    """
    limits = re.fullmatch(r"([1-9]\d{0,8})-(\d{1,9})", given or "")
    if limits and int(limits[1]) <= int(limits[2]):
        return int(limits[1]), int(limits[2])
    if given is None or given == "auto":
        return given
    if re.fullmatch(r"0*[1-9]\d{0,8}", given) is None:
        raise UsageError(
            f"--clusters {shortened(given)}: give a number such as 3, a range such as 2-8, or auto."
        )
    return int(given)


@dataclass(frozen=True)
class ModelOptions:
    """Options of the model, named as the arguments of `fit_models.fit_with_options`."""

    clusters: str | None = shared.option(
        "Number of clusters: a number such as 3, a range such as 2-8, or auto.",
        *("--clusters", "--n-clusters"),
        default="auto; with --method sgp-mic the number of classes",
        metavar="NUMBER",
        callback=parse_clusters,
    )
    dims: int | None = shared.count(
        "Number of latent dimensions.", *("--dims", "--n-components"), default="2"
    )
    variance: float | None = shared.option(
        "Percentage of explained variance that sets the latent dimensions.",
        default="95 with --method sgp-mic",
    )
    inducing: int | None = shared.count(
        "Number of inducing inputs.",
        *("--inducing", "--n-inducing"),
        default="15; the paper's with --method sgp-mic",
    )
    max_iter: int | None = shared.count(
        "Maximum number of EM iterations.",
        *("--iterations", "--max-iter"),
        default="10; 20 with --method sgp-mic",
    )
    n_resamples: int | None = shared.count(
        "Refits of the base clusterings to random halves of the rows, which enter the "
        "probabilities; 0 for none. Not with --method sgp-mic.",
        "--resamples",
        default="8",
        min=0,
    )
    scale: shared.Scale | None = shared.scale_option("standard; global with --method sgp-mic")
    method: Literal["group-map", "sgp-mic"] = _paper_option(
        "group-map: groups and a map of your table; sgp-mic: the model of the paper.",
        value="group-map",
    )
    kernel: Literal["rbf", "linear"] | None = _paper_option("Kernel.", default="rbf")
    optimizer: Literal["lbfgs", "scg"] | None = _paper_option(
        "Optimizer of the M-step.", default="lbfgs"
    )
    n_init: int | None = shared.count(
        "Number of restarts; the one with the best bound is kept.",
        default="1",
        rich_help_panel=PAPER_PANEL,
    )
    n_jobs: shared.Threads = 1
    seed: int = shared.option("Random seed.", value=0, min=0, max=2**32 - 1)


@shared.option_groups
def fit(  # noqa: PLR0913 - one parameter per option
    dataset: shared.Data = None,
    dataset_option: shared.DatasetOption = None,
    *,
    model: ModelOptions,
    table: shared.TableOptionGroup,
    out: Path | None = shared.option(
        "Output folder.", default="sgpmic-out/fit/NAME, the file without suffix"
    ),
    pdf: bool = shared.flag(
        "Draw profile and convergence as well, and write all figures also as PDF."
    ),
    name: str | None = NAME,
    force: shared.Force = False,
    open_page: bool = shared.flag("Open the page in a browser.", "--open"),
    data_dir: shared.DataDir = None,
    output: Output,
) -> None:
    """Cluster a data set, and say which rows are groups and which are slices of a continuum.

    Numeric columns are scaled (--scale), dates become days, text columns and codes with few values
    are encoded, and id columns name the rows. Constant columns and other text are left out. Notes
    describe this preparation; `sgpmic predict` repeats it for new rows.
    Writes report.html, table-with-clusters.csv (the table with the results), model.npz, labels.csv,
    embedding.csv, profile.csv, trace.csv, manifest.json and the figures of the page as
    PNG (--pdf: more figures, also as PDF). If the fit fails, nothing is written.
    """
    from sgpmic_cli.commands import fit_models
    from sgpmic_cli.data import load
    from sgpmic_cli.files import output_folder
    from sgpmic_cli.manifest import manifest
    from sgpmic_cli.result.figures import draw_all
    from sgpmic_cli.result.interpretation import with_refit
    from sgpmic_cli.result.result_tables import TABLE, file_texts, with_names, write_table

    dataset = shared.named_data(dataset, dataset_option)
    options = table.options()
    data = load(dataset, table=options, data_dir=data_dir)
    data = data if name is None else with_names(data, name)
    out = shared.default_out("fit", data.name) if out is None else out
    with output_folder(out, "fit", "replace" if force else "new") as folder:
        with FitProgress(output) as progress:
            fitted = fit_models.fit_with_options(data, **vars(model), progress=progress)
            fitted = with_refit(fitted, progress)
        arguments = {"dataset": dataset, "table": asdict(options), **vars(model)}
        arguments["name"] = name
        command = partial(fit_models.fit_command, arguments)
        # Print before drawing, which takes longer than a small fit.
        content = {**fitted.summary(), "out": str(out)}
        unprinted = output.try_result(content, fit_models.fit_tables(fitted, out, command))
        for note in (*data.notes, *fitted.warnings, *fitted.advice):
            output.note(f"note: {note}")
        about = manifest(arguments, {fitted.data.name: fitted.data.sha256}, fit=fitted.summary())
        fitted.write(folder)
        write_table(folder / TABLE, data, fitted.prediction, fitted.groups)
        (folder / "manifest.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        from sgpmic_cli.result.page import fit_page  # not needed before the answer

        undrawn = draw_all(fitted, folder, pdf=pdf)
        page = fit_page(fitted, folder, out, arguments, command, file_texts(data))
        (folder / "report.html").write_text(page, encoding="utf-8")
    for note in undrawn:
        output.note(f"note: {note}")
    if unprinted is not None:
        raise unprinted
    output.finish(f"report, model, tables and figures in {out}")
    if open_page:
        webbrowser.open((out / "report.html").resolve().as_uri())


@shared.option_groups
def predict(  # noqa: PLR0913 - one parameter per option
    model: Path = typer.Argument(help="Model file, or the output folder of sgpmic fit."),
    dataset: shared.Data = None,
    dataset_option: shared.DatasetOption = None,
    *,
    n_jobs: shared.Threads = 1,
    file: shared.FileOptions,
    out: Path | None = shared.option(
        "Output folder.", default="sgpmic-out/predict/NAME, the file without suffix"
    ),
    force: shared.Force = False,
    data_dir: shared.DataDir = None,
    output: Output,
) -> None:
    """Compute the clusters, probabilities and latent points of new rows under a fitted model.

    The table is prepared as in the fit: columns are matched by name (by position in a file without
    a header), other columns are ignored, and text is encoded as before. Rows
    are read in blocks, so the table can be larger than memory. Writes labels.csv, which marks rows
    unlike those of the fit as unusual, and embedding.csv.
    """
    from sgpmic_cli.data.loading import rows_for
    from sgpmic_cli.estimator_base.latent_clusterer import load
    from sgpmic_cli.files import output_folder
    from sgpmic_cli.result import later_rows

    dataset = shared.named_data(dataset, dataset_option)
    fitted = load(model, every_row=False).set_params(n_jobs=n_jobs)
    recipe = later_rows.recipe_of(fitted)
    text = file.format(recipe.format)
    rows = rows_for(recipe, dataset, label=file.label, id=file.id, format=text, data_dir=data_dir)
    out = shared.default_out("predict", rows.name) if out is None else out
    with (
        output_folder(out, "predict", "replace" if force else "new") as folder,
        FitProgress(output, "reading the rows") as progress,
    ):
        summary = later_rows.assign_rows(fitted, rows, folder, progress)
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


@shared.option_groups
def report_clusters(
    dataset: shared.Data = None,
    dataset_option: shared.DatasetOption = None,
    *,
    table: shared.TableOptionGroup,
    name: str | None = NAME,
    out: Path | None = shared.option(
        "The HTML file to write.", default="sgpmic-out/report-clusters/NAME.html"
    ),
    open_page: bool = shared.flag("Open the page in a browser.", "--open"),
    data_dir: shared.DataDir = None,
    output: Output,
) -> None:
    """Describe clusters that come from elsewhere: another method, a colleague, a known class.

    The column of --label has the cluster of each row; rows with -1 or a missing label are described
    as one more cluster, "no cluster". The page is that of `sgpmic fit`: verdicts, rules, profiles
    and a map. The clusters stay as they are; the groups of the first sentence are searched anew.
    """
    from sgpmic_cli.commands import fit_models
    from sgpmic_cli.data import load
    from sgpmic_cli.files import write_whole
    from sgpmic_cli.pages import refuse_other_file
    from sgpmic_cli.result.interpretation import answer_headline
    from sgpmic_cli.result.page import cluster_codes, whole_page
    from sgpmic_cli.result.result_tables import file_texts, with_names

    dataset = shared.named_data(dataset, dataset_option)
    options = replace(table.options(), all_classes=False)
    data = load(dataset, table=options, data_dir=data_dir)
    data = data if name is None else with_names(data, name)
    if data.classes is None:
        raise UsageError("name the column that has the cluster of each row, with --label COLUMN.")
    codes, names = cluster_codes(data.classes)
    default = shared.default_out("report-clusters", data.name)
    out = default.with_name(f"{default.name}.html") if out is None else out
    refuse_other_file(out)
    with FitProgress(output) as progress:
        rows = replace(data, labels=None, class_names=())
        fitted = fit_models.fit_labels(rows, codes, names, progress=progress)
    write_whole(out, whole_page(fitted, file_texts(data)))
    verdicts = dict(zip(names, fitted.verdicts, strict=True))
    output.result({"out": str(out), "verdicts": verdicts}, [answer_headline(fitted)])
    output.finish(f"page in {out}")
    if open_page:
        webbrowser.open(out.resolve().as_uri())
