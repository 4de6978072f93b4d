"""What was read from the file, and what was left out."""

from sgpmic_cli.data.intake.columns import TextColumn
from sgpmic_cli.report.markup import Html, items, section, table, tag
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.profile import readable


def reading(fitted: Fitted) -> Html:
    """Columns used and left out, and the notes on them."""
    data = fitted.data
    size = f"{data.name}: {data.Y.shape[0]} rows, {data.Y.shape[1]} features."
    parts = [
        tag(
            "p",
            size
            + (
                f" Rows are named by column “{data.recipe.id}”."
                if data.recipe and data.recipe.id
                else ""
            ),
        )
    ]
    if data.notes:
        parts.append(items(data.notes))
    if data.recipe is not None:
        used = [
            [column.name, "text", ", ".join(column.categories)]
            if isinstance(column, TextColumn)
            else [
                column.name,
                "numbers",
                f"median {readable(column.median)}, standard deviation {readable(column.spread)}",
            ]
            for column in data.recipe.columns
        ]
        parts.append(table(["column", "kind", "values"], used, caption="Columns that were used"))
        if data.recipe.left_out:
            parts.append(
                table(
                    ["column", "why"],
                    list(data.recipe.left_out.items()),
                    caption="Columns left out",
                )
            )
    return section("data", "What was read", *parts)
