"""`sgpmic study`: SGP-MIC beside the clusterers of everyday use, on data of every kind."""

from dataclasses import replace

from sgpmic_cli.commands.terminal.options import shared_options
from sgpmic_cli.commands.terminal.output import Output


def study(
    repeats: shared_options.Repeats = 5,
    seed: shared_options.Seed = 0,
    n_jobs: shared_options.Jobs = -1,
    out: shared_options.Out = shared_options.EXPLORED / "study",
    store: shared_options.Store = None,
    force: shared_options.Force = False,
    dry_run: shared_options.DryRun = False,
    json: shared_options.Json = False,
    quiet: shared_options.Quiet = False,
) -> None:
    """Put both settings of SGP-MIC beside k-means, Gaussian mixtures, spectral, Ward and HDBSCAN.

    The bundled sets, scikit-learn's digits and the generated shapes. Writes the tables of a benchmark, ari.md,
    findings.md (where SGP-MIC pays and where it does not, from the numbers) and study.png. The same command again
    resumes.
    """
    from sgpmic_cli.commands.terminal.progress.run_progress import tell_end, watching
    from sgpmic_cli.commands.terminal.tables.plan_table import show_plan
    from sgpmic_cli.commands.terminal.tables.ranking_table import render_ranking
    from sgpmic_cli.experiments.run.run_options import RunOptions
    from sgpmic_cli.experiments.studies.benchmark import benchmark
    from sgpmic_cli.experiments.studies.everyday import everyday_study, findings
    from sgpmic_cli.figures.everyday import draw_study
    from sgpmic_cli.files.atomic import whole_folder, write_whole

    output = Output(as_json=json, quiet=quiet)
    asked = everyday_study(repeats, seed)
    options = RunOptions(store=store, n_jobs=n_jobs, force=force)
    if dry_run:
        show_plan(asked, options, out, output)
        return
    with watching(output) as watcher:
        finished = benchmark(asked, replace(options, watcher=watcher), out=out)
    text = findings(finished.results)
    write_whole(out / "findings.md", text)
    with whole_folder(out) as folder:
        draw_study(folder / "study", finished.results)
    if json:
        output.document({**finished.document(), "findings": text.strip()})
    else:
        console = output.console()
        for part in render_ranking(finished.results):
            console.print(part)
        console.print(text.strip())
    tell_end(finished.runs, out, output)
