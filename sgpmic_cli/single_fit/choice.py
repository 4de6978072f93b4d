"""How the number of clusters was chosen, and how sure that is, in words."""

from collections.abc import Sequence
from typing import Any

from sgpmic_cli.single_fit.fitting import Fitted

CLEAR = 0.5  # of the best score: a runner-up below leaves no doubt ...
CLOSE = 0.9  # ... and one above leaves much


def numbers_tried(fitted: Fitted) -> list[dict[str, Any]]:
    """What spoke for each number of clusters; empty where the number was given."""
    return list(getattr(fitted.model, "selection_", None) or [])


def choice_in_words(fitted: Fitted) -> str:
    """One sentence with the number of clusters, where it comes from, and how sure it is."""
    m, tried = len(fitted.model.weights_), numbers_tried(fitted)
    if not tried:
        where = "as asked for" if fitted.setting == "default" else "told to the fit beforehand"
        return f"{_counted(m)}, {where}."
    low, high = tried[0]["n_clusters"], tried[-1]["n_clusters"]
    if getattr(fitted.model, "no_clusters_", False):
        return (
            f"The data show no clusters: of the numbers from {low} to {high}, none is further apart than the pieces of "
            "a cloud without clusters. All rows are kept as one group."
        )
    return f"{_counted(m)}, chosen among {low} to {high}; {_certainty(m, tried)}."


def _certainty(m: int, tried: Sequence[dict[str, Any]]) -> str:
    score = {row["n_clusters"]: row["score"] for row in tried if row["n_clusters"] > 1}
    lifetime = {row["n_clusters"]: row["lifetime"] for row in tried}
    others = {number: value for number, value in score.items() if number != m}
    if not others:
        return "there was no other number to choose"
    rival = max(others, key=others.__getitem__)
    own, next_best = score[m], others[rival]
    told = f"score {own:.2f}, the next best number, {rival}, has {next_best:.2f}"
    if next_best > own and lifetime[m] > 0.0:
        return f"the rows fall into so many parts by gaps alone, which a silhouette does not show ({told})"
    if next_best > own:
        return f"the smallest number that is about as good as the best, so look at {rival} as well ({told})"
    if next_best >= CLOSE * own:
        return f"a close call, so look at {rival} as well ({told})"
    return f"a {'clear' if next_best < CLEAR * own else 'fair'} choice ({told})"


def _counted(m: int) -> str:
    return f"{m} cluster{'s' * (m != 1)}"
