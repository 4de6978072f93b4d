"""The study on data of every kind: both settings of SGP-MIC beside the clusterers that people use today.

Tables with classes, thin shapes and clouds; the number of clusters is told to whoever can be told, nothing is chosen
with the classes, and what is said of it is computed from the numbers.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.tables.ranking import METRIC, ranking

OURS, PAPERS = "sgp-mic+", "sgp-mic"
TABLES = (*(name for name in names() if entry(name).kind == "bundled"), "digits")
SHAPES = ("spirals", "semicircles", "circles", "pinwheel", "moons")
CLOUDS = ("blobs20", "overlapping", "unequal")
GROUPS = {"tables with classes": TABLES, "thin shapes": SHAPES, "clouds": CLOUDS}
ALIKE = 2.0  # points of the adjusted Rand index within which two means are called alike


def everyday_study(repeats: int, seed: int) -> Study:
    """What is run."""
    methods = ["peers", PAPERS, OURS]
    return Study([*TABLES, *SHAPES, *CLOUDS], [95], methods, repeats=repeats, seed=seed)


def findings(results: Sequence[Result]) -> str:
    """Where SGP-MIC pays and where it does not, in sentences, from the numbers alone."""
    scores = {(result.dataset, result.method): result.ours[METRIC].mean for result in results}
    missing = sorted({dataset for (dataset, _), mean in scores.items() if mean is None})
    found = {
        place: mean
        for place, mean in scores.items()
        if mean is not None and place[0] not in missing
    }
    sentences = [f"Every number is a mean over {results[0].repeats} runs."]
    sentences += [_group(title, sets, found) for title, sets in GROUPS.items()]
    sentences += [_sets(found), _ranks(results)]
    if missing:
        sentences.append(f"Left out, since a method has no number there: {', '.join(missing)}.")
    return " ".join(filter(None, sentences)) + "\n"


def _group(title: str, sets: Iterable[str], scores: dict[tuple[str, str], float]) -> str:
    here = [name for name in sets if (name, OURS) in scores]
    if not here:
        return ""
    mean = {method: float(np.mean([scores[name, method] for name in here])) for _, method in scores}
    rival = max(_rivals(mean), key=lambda name: mean[name])
    return (
        f"Over {len(here)} {title} the mean ARI is {mean[OURS]:.1f} with our setting and {mean[PAPERS]:.1f} with the "
        f"paper's; the best of the others there is {rival} with {mean[rival]:.1f}."
    )


def _sets(scores: dict[tuple[str, str], float]) -> str:
    """Set by set against the best of the others, which nobody knows beforehand."""
    pays: list[str] = []
    alike: list[str] = []
    lags: list[str] = []
    for name in dict.fromkeys(dataset for dataset, _ in scores):
        row = {method: mean for (dataset, method), mean in scores.items() if dataset == name}
        rival = max(_rivals(row), key=lambda method: row[method])
        ahead = row[OURS] - row[rival]
        words = f"{name} ({row[OURS]:.1f}, {rival} {row[rival]:.1f})"
        (pays if ahead > ALIKE else lags if ahead < -ALIKE else alike).append(words)
    return (
        f"Against the best of the others on each set, which nobody knows beforehand, our setting pays on "
        f"{_list(pays)}; it is within {ALIKE:.0f} points on {_list(alike)}; it does not pay on {_list(lags)}."
    )


def _ranks(results: Sequence[Result]) -> str:
    ranked = ranking(results)
    rank = dict(sorted(ranked.mean_rank.items(), key=lambda item: item[1]))
    told = f"Mean ranks: {', '.join(f'{name} {value:.2f}' for name, value in rank.items())}. {ranked.verdict}"
    if ranked.critical_difference is None or OURS not in rank:
        return told
    apart = [name for name in rank if abs(rank[name] - rank[OURS]) >= ranked.critical_difference]
    return f"{told} By that our setting differs from {_list(apart)}."


def _rivals(methods: Iterable[str]) -> list[str]:
    return [name for name in methods if name in known() and known()[name].peer]


def _list(words: list[str]) -> str:
    return ", ".join(words) if words else "none"
