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
    nothing = not compared(changes) and not failures
    suite = ElementTree.Element(
        "testsuite",
        name=SUITE,
        tests=str(len(changes) + nothing),
        failures=str(len(failures) + nothing),
        errors="0",
    )
    for change in changes:
        dataset, variance, method = change.place
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=f"{dataset}.{variance}",
            name=f"{method} {TITLES[change.metric]}",
        )
        if change in failures:
            ElementTree.SubElement(
                case, "failure", type=str(change.state), message=sentence(change)
            )
    if nothing:
        case = ElementTree.SubElement(suite, "testcase", classname=SUITE, name=NOTHING)
        ElementTree.SubElement(case, "failure", type="empty", message=NOTHING)
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def annotations(changes: Sequence[Change]) -> list[str]:
    """Return the lines that GitHub shows beside a commit: an error for each broken number."""
    lines = [
        f"::error title={_property(SUITE)}::{_message(sentence(change))}"
        for change in broken(changes)
    ]
    return lines if lines or compared(changes) else [f"::error title={_property(SUITE)}::{NOTHING}"]


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
