"""`sgpmic speed`: how fast an evaluation is, beside GPy and beside its own matrix products."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.commands.terminal.output import Output
from sgpmic_cli.commands.terminal.tables.speed_tables import promises, speed_tables


def speed(
    out: Annotated[
        Path, typer.Option(help="Folder for speed.json and figures/speed.png.")
    ] = shared_options.EXPLORED,
    rows: Annotated[
        int,
        typer.Option(
            help="The most rows to measure; of files read in blocks, ten times as many.", min=1000
        ),
    ] = 1_000_000,
    fit: Annotated[
        bool, typer.Option(help="Also fit that many rows, and files, and tell time and memory.")
    ] = True,
    device: Annotated[
        Literal["cpu", "cuda"],
        typer.Option(
            help="cuda: a GPU beside one core, into speed-gpu.json and a figure; nothing else."
        ),
    ] = "cpu",
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Measure the evaluation of the bound in one thread, as ratios within one run.

    One component and all of them at the sizes of five data sets, beside GPy's sparse GP-LVM (if GPy can be imported;
    `make speed` sees to that) and beside the bare BLAS, LAPACK and exp calls; then the growth with the rows
    and with the inducing inputs; two threads beside one; whole fits beside GPy's and GPyTorch's; files of many rows
    through `fit` and `predict`; then one run of every method of Table 2.
    """
    from json import dumps

    from sgpmic_cli.files.atomic import check_writable, whole_folder
    from sgpmic_cli.speed.figure import draw_growth
    from sgpmic_cli.speed.measurement import GROWTH, STREAMED, THREADED_ROWS, measure, verdicts
    from sgpmic_cli.speed.own_process import measured_alone
    from sgpmic_cli.speed.rival import NAMES
    from sgpmic_cli.speed.table2 import by_method

    output = Output(as_json=json, quiet=quiet)
    if device == "cuda":
        _measure_gpu(out, output)
        return
    check_writable(out / "figures", "out")
    document = measure(
        growth=[n for n in GROWTH if n <= rows],
        threaded=min(rows, THREADED_ROWS),
        streamed=[n for n in STREAMED if fit and n <= 10 * rows],
        say=output.remark,
    )
    for key, name in NAMES.items():
        if not document[key]:
            output.remark(
                f"{name} is not in this environment, so nothing is compared with it; `make speed` provides it."
            )
    document["table2"] = by_method(output.remark)
    if fit:
        document["fit"] = measured_alone("sgpmic_cli.speed.large", rows, output.remark)
    document["verdicts"] = [
        {"promise": name, "measured": value, "limit": limit, "kept": value <= limit}
        for name, value, limit in verdicts(document)
    ]
    with whole_folder(out) as folder:
        (folder / "speed.json").write_text(
            dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    with whole_folder(out / "figures") as folder:
        draw_growth(folder / "speed", document)
    if json:
        output.document(document)
    else:
        output.console().print(*speed_tables(document))
    output.ending(f"numbers in {out / 'speed.json'}, figure in {out / 'figures' / 'speed.png'}")


def _measure_gpu(out: Path, output: Output) -> None:
    from json import dumps

    from sgpmic_cli.errors import SgpmicError
    from sgpmic_cli.files.atomic import check_writable, whole_folder
    from sgpmic_cli.model.device.choice import missing

    if (reason := missing()) is not None:
        raise SgpmicError(
            f"there is no GPU to measure ({reason}); leave --device cuda out to measure the processor."
        )
    from sgpmic_cli.speed.device import measure_device
    from sgpmic_cli.speed.figure import draw_device

    check_writable(out, "out")
    document = measure_device(say=output.remark)
    if not document["gpytorch"]:
        output.remark(
            "GPyTorch is not in this environment, so nothing is compared with it; `make speed` provides it."
        )
    with whole_folder(out) as folder:
        (folder / "speed-gpu.json").write_text(
            dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    with whole_folder(out / "figures") as folder:
        draw_device(folder / "speed-gpu", document)
    if output.as_json:
        output.document(document)
    else:
        output.console().print(promises(document))
    output.ending(
        f"numbers in {out / 'speed-gpu.json'}, figure in {out / 'figures' / 'speed-gpu.png'}"
    )
