"""Write the findings of the gate as JUnit XML and as annotations of GitHub."""

from collections.abc import Sequence
from xml.etree import ElementTree

from sgpmic_cli.experiments.studies.regression_gate import Change, broken, compared
from sgpmic_cli.experiments.tables.formats import TITLES, plain

SUITE = "sgpmic check"
NOTHING = "nothing was compared"


def sentence(change: Change) -> str:
    """Describe the change of a number."""
    dataset, variance, method = change.place
    where = f"{TITLES[change.metric]} of {method} on {dataset} at {variance} %"
    numbers = f"{plain(change.before)} before, {plain(change.now)} now"
    if change.difference is not None and change.tolerance is not None:
        numbers += f" ({change.difference:+.2f}, allowed {change.tolerance:.2f})"
    reason = f": {change.reason}" if change.reason else ""
    return f"{where} is {change.state}, {numbers}{reason}"


def junit(changes: Sequence[Change]) -> str:
    """Return one test case for each number, or a failing one if nothing was compared."""
    failures = broken(changes)
    suite = ElementTree.Element("testsuite", name=SUITE, errors="0")
    for change in changes:
        dataset, variance, method = change.place
        failure = (str(change.state), sentence(change)) if change in failures else None
        _add_case(suite, f"{dataset}.{variance}", f"{method} {TITLES[change.metric]}", failure)
    if not compared(changes) and not failures:
        _add_case(suite, SUITE, NOTHING, ("empty", NOTHING))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _add_case(
    suite: ElementTree.Element, group: str, name: str, failure: tuple[str, str] | None
) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=group, name=name)
    if failure is not None:
        kind, message = failure
        ElementTree.SubElement(case, "failure", type=kind, message=message)


def annotations(changes: Sequence[Change]) -> list[str]:
    """Return the lines that GitHub shows beside a commit: an error for each broken number."""
    messages = [sentence(change) for change in broken(changes)]
    if not messages and not compared(changes):
        messages = [NOTHING]
    escapes = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
    return [f"::error title={SUITE}::{text.translate(escapes)}" for text in messages]
