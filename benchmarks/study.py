"""Compare both estimators with common clusterers on tables, thin shapes and Gaussian clouds.

Writes the tables of a benchmark, ari.md, findings.md and study.png into OUT. Every method except
HDBSCAN gets the number of clusters. A second call resumes.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.shared import end_study, print_table, run_options, study_parser
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.studies.benchmark_study import benchmark
from sgpmic_cli.experiments.tables.ranking import METRIC, ranking
from sgpmic_cli.figures.style import FAINT, INK, PAGE, canvas, look

DEFAULT, PAPER = "sgp-mic+", "sgp-mic"
GROUPS = {
    "tables with classes": (*(name for name in names() if entry(name).kind == "bundled"), "digits"),
    "thin shapes": ("spirals", "semicircles", "circles", "pinwheel", "moons"),
    "clouds": ("blobs20", "overlapping", "unequal"),
}
METHODS = ("peers", PAPER, DEFAULT)
ALIKE = 2.0  # points of ARI: means within this distance are called equal
LINE, GAP = 0.32, 0.8  # figure: inches per data set, and lines between two groups
SPREAD = 0.7  # figure: distance of the first and the last method of a data set, in lines
Scores = Mapping[tuple[str, str], float]  # mean ARI by data set and method


def main(arguments: Sequence[str] | None = None) -> None:
    """Run or resume the study and write its files."""
    parser = study_parser(__doc__, out="results/study")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args(arguments)
    datasets = [name for group in GROUPS.values() for name in group]
    study = Study(datasets, [95], METHODS, repeats=asked.repeats, seed=asked.seed)
    finished = benchmark(study, run_options(asked), out=asked.out)
    text = findings(finished.results)
    (asked.out / "findings.md").write_text(text, encoding="utf-8")
    draw_study(asked.out / "study", finished.results)
    ranked = ranking(finished.results)
    print_table(ranked.head, ranked.rows)
    print(text)
    end_study(finished.runs, asked.out)


def findings(results: Sequence[Result]) -> str:
    """Describe in sentences where the default model is better, equal or worse."""
    means = {(result.dataset, result.method): result.ours[METRIC].mean for result in results}
    missing = sorted({dataset for (dataset, _), mean in means.items() if mean is None})
    scores = {
        place: mean for place, mean in means.items() if mean is not None and place[0] not in missing
    }
    sentences = [f"Every number is a mean over {results[0].repeats} runs."]
    sentences += [group_sentence(title, group, scores) for title, group in GROUPS.items()]
    sentences += [dataset_sentence(scores), rank_sentence(results)]
    if missing:
        sentences.append(f"Left out, because a method has no result: {', '.join(missing)}.")
    return " ".join(filter(None, sentences)) + "\n"


def group_sentence(title: str, group: Iterable[str], scores: Scores) -> str:
    """Compare mean scores over one group of data sets."""
    here = [name for name in group if (name, DEFAULT) in scores]
    if not here:
        return ""
    mean = {method: float(np.mean([scores[name, method] for name in here])) for _, method in scores}
    best = best_competitor(mean)
    return (
        f"Over {len(here)} {title} the mean ARI is {mean[DEFAULT]:.1f} with the default model and "
        f"{mean[PAPER]:.1f} with the paper's; the best other method is {best} with "
        f"{mean[best]:.1f}."
    )


def dataset_sentence(scores: Scores) -> str:
    """Compare the default model with the best other method on each data set."""
    better: list[str] = []
    equal: list[str] = []
    worse: list[str] = []
    for name in dict.fromkeys(dataset for dataset, _ in scores):
        row = {method: mean for (dataset, method), mean in scores.items() if dataset == name}
        best = best_competitor(row)
        lead = row[DEFAULT] - row[best]
        text = f"{name} ({row[DEFAULT]:.1f}, {best} {row[best]:.1f})"
        (better if lead > ALIKE else worse if lead < -ALIKE else equal).append(text)
    return (
        "Compared with the best other method on each data set, which is not known in advance, the "
        f"default model is better on {_listed(better)}; within {ALIKE:.0f} points on "
        f"{_listed(equal)}; worse on {_listed(worse)}."
    )


def rank_sentence(results: Sequence[Result]) -> str:
    """Report mean ranks and the methods that differ significantly from the default model."""
    ranked = ranking(results)
    ranks = dict(sorted(ranked.mean_rank.items(), key=lambda item: item[1]))
    listed = ", ".join(f"{name} {value:.2f}" for name, value in ranks.items())
    text = f"Mean ranks: {listed}. {ranked.verdict}"
    critical = ranked.critical_difference
    if critical is None or DEFAULT not in ranks:
        return text
    differ = [name for name in ranks if abs(ranks[name] - ranks[DEFAULT]) >= critical]
    return f"{text} The default model differs significantly from {_listed(differ)}."


def best_competitor(means: Mapping[str, float]) -> str:
    """Return the method with the highest mean among the common clusterers."""
    methods = known()
    competitors = [name for name in means if name in methods and methods[name].peer]
    return max(competitors, key=lambda name: means[name])


def draw_study(stem: Path, results: Sequence[Result]) -> None:
    """Draw a line for each data set, and a marker for each method at its mean ARI."""
    methods = list(dict.fromkeys(result.method for result in results))
    stats = {(result.dataset, result.method): result.ours[METRIC] for result in results}
    places: dict[str, float] = {}
    titles, y = {}, 0.0
    for title, group in GROUPS.items():
        titles[title] = y - 0.75
        places |= {name: y + i for i, name in enumerate(group)}
        y += len(group) + GAP
    with canvas(stem, width=PAGE, height=LINE * y + 0.9) as figure:
        axes = figure.subplots()
        axes.set_ylim(y - GAP, -1.2)
        axes.set_xlim(-8, 103)
        axes.hlines(list(places.values()), 0, 100, color=FAINT, linewidth=0.4, zorder=0)
        for index, method in enumerate(methods):
            ours = method == DEFAULT
            colour, marker = (INK, "*") if ours else look(index)
            # Methods are drawn below each other, so that no marker hides another.
            shift = SPREAD * (index / max(1, len(methods) - 1) - 0.5)
            drawn = [
                (stat.mean, line + shift, stat.std)
                for name, line in places.items()
                if (stat := stats.get((name, method))) is not None and stat.mean is not None
            ]
            means, lines, deviations = zip(*drawn, strict=True)
            axes.errorbar(
                means,
                lines,
                xerr=deviations,
                linestyle="",
                marker=marker,
                color=colour,
                markersize=7 if ours else 4,
                elinewidth=0.8,
                label=known()[method].label,
                clip_on=False,
            )
        for title, line in titles.items():
            axes.text(-8, line, title, fontsize=7, fontstyle="italic", va="center")
        axes.set_yticks(list(places.values()), list(places))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("adjusted Rand index (%), mean and standard deviation over the repeats")
        figure.legend(loc="outside upper center", ncols=len(methods))


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) or "none"


if __name__ == "__main__":
    main()
