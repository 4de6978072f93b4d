"""Read the elements and texts of a page."""

from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "input", "polyline", "circle"}


class PageReader(HTMLParser):
    """Collects elements and the text of each section, and checks the order of the end tags."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.sections, self.section = [], [], {}, "header"
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = dict(attrs)["id"]

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.sections[self.section] = self.sections.get(self.section, "") + " " + data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]
