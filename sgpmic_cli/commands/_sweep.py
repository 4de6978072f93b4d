"""A sweep command: the two differ only in what they vary."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgpmic_cli.commands import _options
from sgpmic_cli.commands._output import Output
from sgpmic_cli.commands.benchmark import raise_failed
from sgpmic_cli.experiments.axes import Axis

if TYPE_CHECKING:
    from sgpmic_cli.experiments.sweeps import Sweep


def command(axis: Axis, description: str) -> Callable[..., None]:
    """The command that varies `axis`."""

    def run(
        dataset: _options.Datasets = ",".join(axis.datasets),
        values: Annotated[str, typer.Option(help=axis.meaning)] = ",".join(axis.values),
        methods: _options.Methods = ",".join(axis.methods),
        variance: Annotated[
            int | None, typer.Option(help="Share of variance that sets Q.", show_default="95, or the paper's only row")
        ] = None,
        repeats: _options.Repeats = 10,
        seed: _options.Seed = 0,
        n_jobs: _options.Jobs = -1,
        backend: _options.BackendName = "loky",
        scheduler: _options.Scheduler = None,
        protocol: _options.ProtocolName = "as-run",
        label: _options.Label = None,
        out: _options.Out = Path("results") / axis.name,
        store: _options.Store = None,
        force: _options.Force = False,
        retry_failed: _options.RetryFailed = False,
        dry_run: _options.DryRun = False,
        data_dir: _options.DataDir = None,
        mirror: _options.Mirror = None,
        offline: _options.Offline = False,
        json: _options.Json = False,
        quiet: _options.Quiet = False,
    ) -> None:
        from sgpmic_cli.commands._watching import watching
        from sgpmic_cli.experiments.cluster import scheduler_of
        from sgpmic_cli.experiments.sweeps import prepare_sweep, sweep

        output = Output(as_json=json, quiet=quiet)
        address = scheduler_of(backend, scheduler)
        options: dict[str, Any] = {
            "variance": variance,
            "repeats": repeats,
            "seed": seed,
            "protocol": protocol,
            "label": label,
            "data_dir": data_dir,
            "mirror": mirror,
            "offline": offline,
            "force": force,
            "retry_failed": retry_failed,
        }
        asked = _options.split(dataset), _options.split(values), _options.split(methods)
        if dry_run:
            from sgpmic_cli.commands._plan_table import print_plan

            where = store if store is not None else out / "runs"
            print_plan(prepare_sweep(axis, *asked, store=where, **options), output, axis.parameter)
            return
        with watching(output) as watcher:
            finished = sweep(
                axis, *asked, out=out, store=store, n_jobs=n_jobs, scheduler=address, watcher=watcher, **options
            )
        _print(finished, output)
        gathered = finished.gathered
        output.remark(f"{gathered.computed} runs computed, {gathered.reused} reused; tables and manifest in {out}")
        raise_failed(gathered.failed, gathered.computed + gathered.reused)

    run.__doc__ = description
    return run


def _print(finished: "Sweep", output: Output) -> None:
    if output.as_json:
        output.document(finished.document())
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = output.console()
    for title, head, body in finished.grids():
        table = Table(box=box.SIMPLE_HEAD, title=title, title_style="bold", pad_edge=False)
        for heading in head:
            table.add_column(heading, justify="right", overflow="fold")
        for row in body:
            table.add_row(*map(Text, row))
        console.print(table)
    for line in finished.notes():
        console.print(Text(line))
