"""The study of generated mixed tables."""

import numpy as np
import pytest

from benchmarks.mixed_tables import KINDS, ROWS, main


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_rows_and_groups(kind):
    frame, groups = KINDS[kind](np.random.RandomState(0))
    assert len(frame) == len(groups) == ROWS
    assert set(groups) == set(range(groups.max() + 1))


def test_numbers_and_scores_are_written(tmp_path, capsys):
    main(["--draws", "1", "--kinds", "4 flags, 2 groups", "--out", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("| 4 flags, 2 groups | 2 | 2 (1) |")
    assert (tmp_path / "mixed-tables.csv").exists()
