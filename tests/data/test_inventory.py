import pytest
from local_server import BODY, send

from sgpmic_cli.data import inventory, names
from sgpmic_cli.errors import UsageError


def test_states_and_paths(tmp_path):
    rows = {row["name"]: row for row in inventory.describe_all(tmp_path)}
    assert list(rows) == names()
    assert rows["iris"]["state"] == "bundled"
    assert rows["iris"]["path"].endswith("iris.csv")
    assert rows["arcs"]["state"] == "generated"
    assert (rows["yale"]["state"], rows["yale"]["path"]) == ("absent", None)


def test_fetched_set_is_present(server, found, tmp_path, monkeypatch):
    server.answers["/file.mat"] = lambda handler, count: send(handler, BODY)
    monkeypatch.setattr(inventory, "entry", lambda name: found)
    (outcome,) = inventory.fetch_all(["yale"], data_dir=tmp_path)
    assert outcome == {
        "name": "yale",
        "state": "present",
        "path": str(tmp_path / "file.mat"),
        "reason": None,
    }
    assert inventory.describe(found, tmp_path)["state"] == "present"


def test_failure_does_not_stop_the_others(tmp_path):
    outcomes = inventory.fetch_all(["yale", "iris", "coil20"], data_dir=tmp_path, offline=True)
    assert [outcome["state"] for outcome in outcomes] == ["unavailable", "bundled", "unavailable"]
    assert "coil20 is unavailable" in outcomes[2]["reason"]


def test_all_downloads_are_fetched_by_default(tmp_path):
    assert [
        outcome["name"] for outcome in inventory.fetch_all(data_dir=tmp_path, offline=True)
    ] == ["yale", "coil20"]


def test_unknown_name_stops_before_any_request(server, tmp_path):
    with pytest.raises(UsageError, match="did you mean 'yale'"):
        inventory.fetch_all(["coil20", "yael"], data_dir=tmp_path, mirror=server.url)
    assert server.requests == []
