import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data import load
from sgpmic_cli.model.outcome import judge
from sgpmic_cli.single_fit.advice import text_advice
from sgpmic_cli.single_fit.profile import profile_of

LABELS = np.arange(60) % 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (np.array(["x", "y", "z"])[LABELS], True),
        (np.array(["x", "y"])[(LABELS > 0).astype(int)], True),
        (np.array(["x", "y"])[np.arange(60) // 30], False),
        (
            np.where(np.arange(60) < 2, "x", "y"),
            False,
        ),  # one text nearly everywhere is followed by anything
    ],
)
def test_clusters_that_repeat_a_text_are_pointed_out(tmp_path, text, told):
    pd.DataFrame({"a": np.arange(60.0) ** 2, "kind": text}).to_csv(tmp_path / "t.csv", index=False)
    advice = text_advice(
        profile_of(load(str(tmp_path / "t.csv")), LABELS, judge(np.eye(3)[LABELS]))
    )
    assert (advice is not None) == told
    if told:
        assert advice == (
            "the clusters follow the text in 'kind' almost exactly: --drop kind shows what the other columns have to say."
        )
