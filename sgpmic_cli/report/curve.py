"""A small drawing of a score over the settings that the labels chose among."""

from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.report.markup import Html, tag

WIDTH, HEIGHT, MARGIN, FOOT = 220, 64, 14, 12  # pixels


def curve(result: Result, metric: str) -> Html:
    """One dot for each setting in the order of the grid, the chosen one filled; a setting without a run has none."""
    points = result.grid
    step = (WIDTH - 2 * MARGIN) / max(1, len(points) - 1)
    means = [point.stats[metric].mean for point in points]
    there = [mean for mean in means if mean is not None]
    if not there:
        return Html("")
    low, high = min(there), max(there)
    span = max(high - low, 1.0)
    parts, path = [], []
    for i, (point, mean) in enumerate(zip(points, means, strict=True)):
        x = MARGIN + i * step
        label = "/".join(f"{value:g}" for value in point.settings.values())
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 2}">{label}</text>')
        if mean is None:
            continue
        y = MARGIN / 2 + (HEIGHT - FOOT - MARGIN) * (1 - (mean - low) / span)
        path.append(f"{x:.1f},{y:.1f}")
        taken = result.chose(point)
        kind = "taken" if taken else "other"
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3.5 if taken else 2.5}" class="{kind}"/>'
        )
    drawing = f'<polyline points="{" ".join(path)}"/>' + "".join(parts)
    name = "/".join(points[0].settings)
    caption = f"{metric.upper()} over {'λ' if name == 'lam' else name}: {low:.2f} to {high:.2f}"
    image = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" aria-hidden="true">{drawing}</svg>'
    return tag("figure", Html(image), tag("figcaption", caption), class_="curve")
