"""`sgpmic speed`: how fast an evaluation is, beside GPy and beside its own matrix products."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.commands.terminal.output import Output

if TYPE_CHECKING:
    from rich.table import Table


def speed(
    out: Annotated[Path, typer.Option(help="Folder for speed.json and figures/speed.png.")] = shared_options.EXPLORED,
    rows: Annotated[int, typer.Option(help="The most rows to measure and to fit.", min=1000)] = 1_000_000,
    fit: Annotated[bool, typer.Option(help="Also fit that many rows and tell time and memory.")] = True,
    device: Annotated[
        Literal["cpu", "cuda"], typer.Option(help="cuda: a GPU beside one core, into speed-gpu.json; nothing else.")
    ] = "cpu",
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Measure the evaluation of the bound in one thread, as ratios within one run.

    One component and all of them at the sizes of five data sets, beside GPy's sparse GP-LVM (if GPy can be imported;
    `make speed` sees to that) and beside the bare BLAS, LAPACK and exp calls; then the growth with the rows
    and with the inducing inputs; two threads beside one; then one run of every method of Table 2.
    """
    from json import dumps

    from sgpmic_cli.files.atomic import check_writable, whole_folder
    from sgpmic_cli.speed.figure import draw_growth
    from sgpmic_cli.speed.measurement import GROWTH, THREADED_ROWS, measure, verdicts
    from sgpmic_cli.speed.own_process import measured_alone
    from sgpmic_cli.speed.table2 import by_method

    output = Output(as_json=json, quiet=quiet)
    if device == "cuda":
        _measure_gpu(out, output)
        return
    check_writable(out / "figures", "out")
    document = measure(growth=[n for n in GROWTH if n <= rows], threaded=min(rows, THREADED_ROWS), say=output.remark)
    if not document["gpy"]:
        output.remark("GPy is not in this environment, so nothing is compared with it; `make speed` provides it.")
    document["table2"] = by_method(output.remark)
    if fit:
        document["fit"] = measured_alone("sgpmic_cli.speed.large", rows, output.remark)
    document["verdicts"] = [
        {"promise": name, "measured": value, "limit": limit, "kept": value <= limit}
        for name, value, limit in verdicts(document)
    ]
    with whole_folder(out) as folder:
        (folder / "speed.json").write_text(dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    with whole_folder(out / "figures") as folder:
        draw_growth(folder / "speed", document)
    if json:
        output.document(document)
    else:
        _print(output, document)
    output.ending(f"numbers in {out / 'speed.json'}, figure in {out / 'figures' / 'speed.png'}")


def _measure_gpu(out: Path, output: Output) -> None:
    from json import dumps

    from sgpmic_cli.errors import SgpmicError
    from sgpmic_cli.files.atomic import check_writable, whole_folder
    from sgpmic_cli.model.device.choice import missing

    if (reason := missing()) is not None:
        raise SgpmicError(f"there is no GPU to measure ({reason}); leave --device cuda out to measure the processor.")
    from sgpmic_cli.speed.device import measure_device

    check_writable(out, "out")
    document = measure_device(say=output.remark)
    if not document["gpytorch"]:
        output.remark("GPyTorch is not in this environment, so nothing is compared with it; `make speed` provides it.")
    with whole_folder(out) as folder:
        (folder / "speed-gpu.json").write_text(dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if output.as_json:
        output.document(document)
    else:
        output.console().print(_promises(document))
    output.ending(f"numbers in {out / 'speed-gpu.json'}")


def _print(output: Output, document: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table

    columns = ("one", "all", "E-step", "gpy", "one / gpy", "all / gpy", "one / floor", "all / floor", "E-step / all")
    sizes = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, title="milliseconds per evaluation, and ratios", title_justify="left"
    )
    for heading in ("size", "N, P, Q, K, M", *columns):
        sizes.add_column(heading, justify="left" if heading == "size" else "right")
    for size in document["sizes"]:
        numbers = {**size["ms"], **size["ratios"]}
        shape = ", ".join(str(size[letter]) for letter in "NPQKM")
        sizes.add_row(size["name"], shape, *(f"{numbers[name]:.2f}" if name in numbers else "–" for name in columns))
    growth = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="growth with the rows", title_justify="left")
    for heading in ("rows", "ms", "ms per 1000 rows"):
        growth.add_column(heading, justify="right")
    for row in document["growth"]["rows"]:
        growth.add_row(str(row["n"]), f"{row['ms']:.1f}", f"{1e3 * row['ms'] / row['n']:.2f}")
    inducing = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="growth with the inducing inputs", title_justify="left")
    for heading in ("inducing inputs", "ms"):
        inducing.add_column(heading, justify="right")
    for row in document["inducing"]["rows"]:
        inducing.add_row(str(row["k"]), f"{row['ms']:.1f}")
    table2 = document["table2"]
    title = "one run of each method, {dataset} at {variance} %".format(**table2)
    methods = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for heading in ("method", "seconds", "share"):
        methods.add_column(heading, justify="left" if heading == "method" else "right")
    for name, seconds in table2["seconds"].items():
        methods.add_row(name, f"{seconds:.2f}", f"{100 * table2['shares'][name]:.0f} %")
    threads = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="threads", title_justify="left")
    for heading in ("setting", "work", "rows", "1: ms", "2: ms", "2 / 1", "equal"):
        threads.add_column(heading, justify="left" if heading in ("setting", "work", "equal") else "right")
    for row in document["threads"]:
        times = f"{row['ms']['1']:.1f}", f"{row['ms']['2']:.1f}", f"{row['ratio']:.2f}"
        threads.add_row(row["setting"], row["work"], str(row["n"]), *times, "yes" if row["equal"] else "no")
    for table in (sizes, growth, inducing, threads, methods, _promises(document)):
        output.console().print(table)


def _promises(document: dict[str, Any]) -> "Table":
    from rich import box
    from rich.table import Table

    promises = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="promises", title_justify="left")
    for heading in ("promise", "measured", "at most", ""):
        promises.add_column(heading, justify="left" if heading in ("promise", "") else "right")
    for verdict in document["verdicts"]:
        kept = "kept" if verdict["kept"] else "broken"
        promises.add_row(verdict["promise"], f"{verdict['measured']:.3g}", f"{verdict['limit']:g}", kept)
    return promises
