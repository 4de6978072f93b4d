"""Interim."""

from typing import NamedTuple


class Selection(NamedTuple):
    chosen: int
    table: list


def choose_clusters(rows, near, numbers, random_state):
    return Selection(min(max(numbers), 3), [])
