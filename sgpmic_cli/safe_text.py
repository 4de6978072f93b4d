"""Text that came from files, servers, methods or people, made fit to be shown: nothing in it commands a terminal."""

import re
import unicodedata

LONGEST = 300  # of a name or a cell in a sentence
_LOGIN = re.compile(r"(?<=://)[^/\s]+@")
_QUERY = re.compile(r"(://[^\s?]*\?)[^\s'\"]+")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|])")


def printable(text: str) -> str:
    """The text on one line, with every character that is no letter, sign or space written as its code."""
    return "".join(each if _harmless(each) else _code(each) for each in text)


def for_terminal(text: str) -> str:
    """The same, without logins in addresses and without what nobody would read to the end."""
    return shortened(printable(without_login(text)), 20 * LONGEST)


def shortened(text: str, most: int = LONGEST) -> str:
    """The beginning and the end of a text that is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def without_login(text: str) -> str:
    """Addresses in a text without what may be secret in them: a user name and password, and what they ask for."""
    return _QUERY.sub(r"\1…", _LOGIN.sub("", text))


def for_markdown(text: str) -> str:
    """Text that Markdown shows as it stands, also in a table."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def for_html(text: str) -> str:
    """Text that a page can hold: lines stay, and what no UTF-8 file can say is written as its code."""
    return "".join(each if each in "\n\t" or _harmless(each) else _code(each) for each in text)


def _harmless(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _code(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
