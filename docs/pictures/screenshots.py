"""Take the pictures of the documents from pages of the product, with Chromium.

`page.png` has the clusters and the map of the page that `sgpmic fit iris` writes, without the text
and the buttons between them. `compare.png` has the first table of the page that `sgpmic report`
writes about a comparison, with the key of its verdicts and the details of a cell.
"""

import base64
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from browser import Browser  # noqa: E402  # the driver of the tests

PIXELS = 1540  # width of a picture
MARGIN = 10  # of the window, below the last element
COMPARED = ("--dataset", "iris", "--methods", "sklearn.cluster:KMeans,pca-fcm")
HIDE = "document.querySelectorAll(%r).forEach((element) => element.style.display = 'none')"
UNUSED = (  # of the page of a comparison: all but the first table with its key
    "#summary, #environment, #table > p:not(:has(+ ul)), .legend li:not(:has(.v-exact, .v-best)), "
    "#table > :not(h2, p, ul, .box), .box ~ .box"
)
LAST = "tr:last-child > .cell:last-child"  # of the first table
EDGE = "document.querySelector(%r).getBoundingClientRect()"


def main() -> None:
    """Write both pictures."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        sgpmic("fit", "iris", "--out", str(folder / "flowers"))
        comparison, page = str(folder / "comparison"), folder / "page.html"
        sgpmic("benchmark", *COMPARED, "--out", comparison)
        sgpmic("report", "--results", comparison, "--out", str(page))
        take_both(folder / "flowers/report.html", page, folder)


def take_both(fit: Path, comparison: Path, folder: Path) -> None:
    """Write the pictures of both pages; the browser keeps its files in a folder."""
    browser = Browser(folder)
    try:
        show(browser, fit, (1100, 520), "#clusters > p, .tools")
        take(browser, "page", 1100, "#clusters", ".stage")
        show(browser, comparison, (770, 1000), UNUSED)
        browser.run(f"document.querySelector('{LAST}').focus()")
        take(browser, "compare", 770, "#table", f"{LAST} > .tip")
    finally:
        browser.close()


def sgpmic(*arguments: str) -> None:
    """Run a command of sgpmic."""
    subprocess.run([sys.executable, "-m", "sgpmic_cli", *arguments], check=True)


def show(browser: Any, page: Path, window: tuple[int, int], hidden: str) -> None:
    """Open a page in a window of this size, and hide elements."""
    width, height = window
    browser.open(page, width=width, height=height, scale=PIXELS / width)
    browser.send("Emulation.setScrollbarsHidden", hidden=True)
    browser.run(HIDE % hidden)


def take(browser: Any, name: str, width: int, first: str, last: str) -> None:
    """Write a picture of the page, from the top of one element to the bottom of another one."""
    top, bottom = browser.run(f"[{EDGE % first}.top + scrollY, {EDGE % last}.bottom + scrollY]")
    area = {"x": 0, "y": top, "width": width, "height": bottom - top + MARGIN, "scale": 1}
    shot = browser.send("Page.captureScreenshot", clip=area, captureBeyondViewport=True)
    (HERE / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
