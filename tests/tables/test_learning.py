import numpy as np
import pytest

from sgpmic_cli.clustering.group_map import GroupMap
from sgpmic_cli.data import TableOptions, load
from sgpmic_cli.errors import UsageError


@pytest.fixture
def write(tmp_path):
    def path_of(text, name="t.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return path_of


@pytest.mark.parametrize(
    ("text", "label", "features", "classes"),
    [
        ("a,y,b\n1,9,2\n3,10,4\n", "y", ("a", "b"), ("9", "10")),
        ("2019,2020,y\n1,2,a\n3,4,b\n", "y", ("2019", "2020"), ("a", "b")),
        ("5.1,3.5,u\n6,3,v\n", "column_3", ("column_1", "column_2"), ("u", "v")),
    ],
    ids=["in the middle", "in a header of numbers", "without header"],
)
def test_label_column(write, text, label, features, classes):
    dataset = load(write(text), label=label)
    assert dataset.feature_names == features
    assert dataset.class_names == classes
    assert len(dataset.Y) == 2
    assert dataset.recipe.named != (label == "column_3")


def test_numeric_classes_are_compared_by_value(write):
    dataset = load(write("a,b,y\n1,2,1\n3,4,2.0\n5,7,1.0\n6,7,2\n"), label="y")
    assert dataset.class_names == ("1", "2.0")
    assert dataset.labels.tolist() == [0, 1, 0, 1]
    mixed = load(write("a,b,y\n1,2,1\n3,4,1.0\n5,7,x\n"), label="y")
    assert mixed.class_names == ("1", "1.0", "x")


def test_all_wrong_names_are_reported_at_once(write):
    options = TableOptions("nme", columns=("a", "bb"))
    with pytest.raises(UsageError) as caught:
        load(write("name,a,b\nx,1,2\ny,3,4\n"), table=options)
    told = str(caught.value)
    assert "has 2 problems" in told
    assert "'nme' for label (did you mean 'name'?)" in told
    assert "'bb' for columns" in told


SALES = "sales,kind\n0,a\n1,b\n5,c\n25,a\n625,b\n9,c\n"


def test_models_see_logarithms_and_tables_keep_the_numbers(write):
    rows = load(write(SALES), table=TableOptions(log=("sales",), numbers_only=True))
    assert rows.feature_names == ("sales",)
    seen = rows.recipe.logarithms(rows.Y)
    np.testing.assert_allclose(seen[:, 0], np.log([1, 2, 6, 26, 626, 10]))
    np.testing.assert_allclose(rows.recipe.powers(seen), rows.Y, atol=1e-12)
    model = GroupMap(1, max_iter=1, n_components=1).fit(rows)
    np.testing.assert_allclose(model.encode(rows), seen)
    assert rows.Y.max() == 625
