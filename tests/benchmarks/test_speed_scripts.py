"""The speed scripts measure what they claim, on tiny input."""

import json
import sys

import pytest

from benchmarks import end_to_end, other_libraries, speed
from benchmarks.paper_problem import Size
from benchmarks.speed_figures import draw_speed

TINY = Size("tiny", 60, 5, 2, 10, 3)


def test_candidates_take_turns_and_the_fastest_call_counts():
    turns, seconds = [], iter(range(1000))
    candidates = {"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}
    ms = speed.fastest(candidates, turns=2, clock=lambda: float(next(seconds)))
    assert "".join(turns) == "ab" + "aaabbb" * 2
    assert ms == {"a": 1000.0, "b": 1000.0}


def test_the_exponent_is_that_of_the_larger_sizes():
    sizes = (1000, 10_000, 100_000, 1_000_000)
    rows = [{"n": n, "ms": 1e-3 * n**1.03 if n >= 10_000 else 99.0} for n in sizes]
    assert speed.exponent(rows) == pytest.approx(1.03)
    assert speed.exponent(rows[:2]) is None


@pytest.mark.slow
def test_all_measurements_make_one_document_and_a_figure(tmp_path, monkeypatch):
    monkeypatch.setattr(other_libraries, "find_spec", lambda name: None)
    monkeypatch.setattr(speed, "NEW_ROWS", {"paper": 20, "default": 50})
    monkeypatch.setattr(speed, "GROWTH", (300, 400))
    document = json.loads(json.dumps(speed.measure(400, sizes=[TINY])))
    assert set(document["sizes"][0]["ms"]) == {"one", "all"}
    assert [row["work"] for row in document["threads"]] == 2 * ["EM iteration", "prediction"]
    assert all(row["equal"] for row in document["threads"])
    assert set(document["whole_fits"][0]["ms"]) == {"ours"}
    draw_speed(tmp_path / "speed", {**document, "streamed": []})
    assert (tmp_path / "speed.png").stat().st_size > 1000


@pytest.mark.slow
def test_a_device_is_compared_with_one_core():
    cases = [(300, 5, True), (200, 5, False)]
    first, second = (speed.iteration_times("cpu", *case) for case in cases)
    assert set(first) - set(second) == {"core_ms"}
    assert speed.label_differences("cpu", "iris")["differ"] == 0


def test_a_process_is_measured_in_total_and_at_its_first_line():
    work = "sum(range(10**7)); print(1, flush=True); sum(range(10**7)); print(2)"
    found = end_to_end.run([sys.executable, "-c", work])
    assert 0.0 < found["first_answer"] <= found["seconds"] + 0.01
    assert found["gb"] > 0.0
    assert "first_answer" not in end_to_end.run([sys.executable, "-c", ""])
    with pytest.raises(SystemExit, match="code 3"):
        end_to_end.run([sys.executable, "-c", "exit(3)"])
