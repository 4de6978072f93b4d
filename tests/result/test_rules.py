import numpy as np
import pandas as pd
import pytest

from sgpmic_cli.data import load
from sgpmic_cli.result.profile import profile_of
from sgpmic_cli.result.rules import best_rule, percent
from sgpmic_cli.result.single_column import between, threshold


def rule_of(folder, frame, member):
    frame.to_csv(folder / "t.csv", index=False)
    data = load(str(folder / "t.csv"))
    return best_rule(profile_of(data, np.eye(2)[member.astype(int)]), data.Y, member, 1)


def test_a_threshold_is_found_with_its_precision_and_recall(tmp_path):
    wage = np.r_[np.linspace(20, 200, 90), np.linspace(210, 300, 10)]
    member = np.arange(100) >= 88  # the two highest of the others as well
    rule = rule_of(tmp_path, pd.DataFrame({"wage": wage.round(), "x": np.arange(100) % 7}), member)
    name, sign, value = rule.words.split()
    assert (name, sign) == ("wage", ">")
    found = wage.round() > float(value)
    assert rule.recall == pytest.approx((found & member).sum() / 12)
    assert rule.precision == pytest.approx((found & member).sum() / found.sum())
    assert 2 / (1 / rule.recall + 1 / rule.precision) > 0.9


def test_two_conditions_are_used_where_one_is_not_enough(tmp_path):
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.randint(0, 9, 400), "kind": rng.choice(["u", "v", "w"], 400)})
    member = ((frame["a"] > 5) & (frame["kind"] == "u")).to_numpy()
    rule = rule_of(tmp_path, frame, member)
    assert set(rule.words.split(" and ")) == {"a > 5.5", "kind=u"}
    assert (rule.recall, rule.precision) == (1.0, 1.0)
    one = rule_of(tmp_path, frame, (frame["kind"] == "v").to_numpy())
    assert one.words == "kind=v"
    assert one.coverage() == "100 % of the cluster, 100 % right"


def test_a_rule_that_is_wrong_for_most_rows_is_no_rule(tmp_path):
    # The best F1 has the condition x > 0: all 10 rows of the cluster, and 20 others.
    x, member = np.repeat([0, 1], [60, 30]), np.arange(90) >= 80
    assert rule_of(tmp_path, pd.DataFrame({"x": x, "y": np.arange(90) * 7 % 3}), member) is None


def test_rows_with_missing_values_do_not_fulfil_a_rule(tmp_path):
    frame = pd.DataFrame(
        {"a": [0.0, 1, 2, 3] * 10 + [9.0] * 10, "b": np.random.RandomState(0).randn(50)}
    )
    frame.loc[45:, "a"] = np.nan
    rule = rule_of(tmp_path, frame, np.arange(50) >= 40)
    assert (rule.words.split()[:2], rule.recall, rule.precision) == (["a", ">"], 0.5, 1.0)


def test_thresholds_are_short_and_percentages_are_not_rounded_to_all_or_none():
    assert between(1.2345, 9.8765) == 6.0
    assert between(-118.2345, -118.2312) == -118.233
    assert between(3.0, 4.0) == 3.5
    assert [threshold(v) for v in (4.315e8, 70080.0, 0.25)] == ["431.5 million", "70080", "0.25"]
    assert [percent(f) for f in (1.0, 0.999, 0.5, 0.001, 0.0)] == [
        "100 %",
        "over 99 %",
        "50 %",
        "under 1 %",
        "0 %",
    ]
