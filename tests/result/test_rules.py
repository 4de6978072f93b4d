import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.data import load
from sgpmic_cli.result.profile import profile_of
from sgpmic_cli.result.rules import (
    _agreement,
    between,
    percent,
    rules_of,
    threshold,
)


def rule_of(folder, frame, member):
    frame.to_csv(folder / "t.csv", index=False)
    data = load(str(folder / "t.csv"))
    labels = member.astype(int)
    return rules_of(data, labels, profile_of(data, np.eye(2)[labels]))[1]


def test_a_threshold_is_found_with_its_precision_and_recall(tmp_path):
    wage = np.r_[np.linspace(300, 210, 10), np.linspace(200, 20, 90)]
    member = np.arange(100) < 12  # the two highest of the others as well
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
    assert one.coverage == "100 % of the cluster, 100 % right"


@pytest.mark.parametrize(
    ("others", "lacking", "words"),
    [(20, 0, None), (5, 0, None), (2, 0, "x=1"), (0, 4, "x=1"), (0, 6, None)],
)
def test_a_rule_is_right_for_most_of_its_rows_and_for_half_of_the_cluster(
    tmp_path, others, lacking, words
):
    member = np.arange(90) >= 80
    x = (np.arange(90) >= 80 - others) & (np.arange(90) < 90 - lacking)
    rule = rule_of(tmp_path, pd.DataFrame({"x": 1 * x, "y": np.arange(90) * 7 % 3}), member)
    assert (rule and rule.words) == words
    assert rule is None or bool(rule.name) == (lacking == 0)


def test_a_rule_that_holds_everywhere_is_no_rule(tmp_path):
    x = np.where(np.arange(100) % 10, np.arange(100) % 7, 99)  # in all clusters
    frame = pd.DataFrame({"x": x, "y": np.random.RandomState(0).randn(100)})
    assert rule_of(tmp_path, frame, np.arange(100) >= 10) is None


def test_of_two_clusters_the_column_that_agrees_with_both_is_taken(tmp_path):
    labels, rows = np.repeat([0, 1], 50), np.arange(100)
    a = np.where(rows < 20, np.nan, 9.0 * labels)  # is missing in one of the clusters
    b = np.where(rows == 48, 70, rows)
    frame = pd.DataFrame({"a": a + rows % 7, "b": b / 7, "c": rows % 5})
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = load(str(tmp_path / "t.csv"))
    low, high = rules_of(data, labels, profile_of(data, np.eye(2)[labels]))
    assert [low.words, high.words] == ["b <= 7", "b > 7"]


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
    assert [threshold(v) for v in (4.315e8, 70080.0, -0.0)] == ["431.5 million", "70080", "0"]
    assert [percent(f) for f in (1.0, 0.999, 0.5, 0.001, 0.0)] == [
        "100 %",
        "over 99 %",
        "50 %",
        "under 1 %",
        "0 %",
    ]


def explaining(folder, frame, labels):
    frame.to_csv(folder / "t.csv", index=False)
    data = load(str(folder / "t.csv"))
    rules = rules_of(data, labels, profile_of(data, np.eye(labels.max() + 1)[labels]))
    return [rule for rule in rules if rule and rule.explained_by]


@pytest.fixture
def table():
    random = np.random.RandomState(0)
    return pd.DataFrame(
        {
            "size": random.randn(300),
            "colour": random.choice(["red", "green", "blue"], 300),
            "flag": random.rand(300) < 0.3,
        }
    )


def test_a_split_of_numbers_explains_two_clusters(table, tmp_path):
    labels = (table["size"] > 0.5).to_numpy().astype(int)
    low, high = explaining(tmp_path, table, labels)
    assert (low.cluster, low.explained_by, high.explained_by) == (0, ("size",), ("size",))
    value = high.words.removeprefix("size > ")
    assert low.words == f"size <= {value}"
    assert float(value) == pytest.approx(0.5, abs=0.1)
    assert high.recall == high.precision == 1.0


def test_a_category_explains_one_of_three_clusters(table, tmp_path):
    others = np.random.RandomState(1).randint(0, 2, 300)
    labels = np.where(table["colour"] == "red", 2, others)
    [found] = explaining(tmp_path, table, labels)
    assert (found.cluster, found.words, found.precision) == (2, "colour=red", 1.0)


def test_nothing_explains_random_labels_or_most_of_a_cluster(table, tmp_path):
    labels = np.random.RandomState(2).randint(0, 2, 300)
    assert explaining(tmp_path, table, labels) == []
    changed = (table["colour"] == "red").to_numpy() ^ (np.random.RandomState(0).rand(300) < 0.05)
    assert explaining(tmp_path, table, changed.astype(int)) == []  # an index of about 0.8


def test_the_agreement_is_the_adjusted_rand_index():
    random = np.random.RandomState(0)
    labels = random.randint(0, 3, 100)
    rows = (labels == 1) ^ (random.rand(100) < 0.1)
    both = np.bincount(labels[rows], minlength=3)[None]
    (found,) = _agreement(both, np.bincount(labels))
    assert found[1] == pytest.approx(adjusted_rand_score(rows, labels == 1))
    assert found[0] == 0.0  # the rows avoid the cluster, so the condition does not describe it


def test_a_small_group_is_split_in_the_gap_and_not_at_a_quantile(tmp_path):
    values = np.r_[np.linspace(0.0, 1.0, 2970), np.linspace(3.0, 4.0, 30)]
    _, high = explaining(tmp_path, pd.DataFrame({"wage": values}), (values > 2.0).astype(int))
    assert high.words == "wage > 2"
    assert high.precision == 1.0
