"""Download of one file whose length and hash are known beforehand."""

import base64
import errno
import hashlib
import http.client
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request

from sgpmic_cli._version import __version__
from sgpmic_cli.deadline import within

TIMEOUT = 15.0  # seconds without a byte
LEAST_SECONDS = 60.0  # for a file however small, attempts and addresses together
SLOWEST = 50_000.0  # bytes a second, below which a larger one is given up
ATTEMPTS = 4
BACKOFF = 0.5  # seconds before the second attempt, doubled each time
_CHUNK = 1 << 16


class Refused(Exception):
    """This address does not give the file; the text says why, for a sentence that starts with the address."""


class WrongFile(Refused):
    """The address gives a file, but not the publisher's."""


class _Passing(Exception):
    """A fault that may be gone a moment later."""


def seconds_for(size: int) -> float:
    """How long the download of a file may take in all, attempts and addresses together."""
    return LEAST_SECONDS + size / SLOWEST


def download(url: str, *, sha256: str, size: int, deadline: float | None = None) -> bytes:
    """The file at `url`, its length and hash checked; passing faults are retried, everything else is Refused.

    `deadline` is a time of the monotonic clock. It holds for everything together: a timeout of the connection alone
    would start anew with every byte of a server that drips.
    """
    allowed = seconds_for(size)
    if deadline is None:
        deadline = time.monotonic() + allowed
    for attempt in range(1, ATTEMPTS + 1):
        try:
            raw = within(max(0.0, deadline - time.monotonic()), lambda: _attempt(url, size))
        except _Passing as fault:
            pause = BACKOFF * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
            if attempt == ATTEMPTS or time.monotonic() + pause > deadline:
                raise Refused(f"{fault} ({attempt} attempts)") from None
            # A random share keeps processes that failed together from coming back together.
            time.sleep(pause)
            continue
        except TimeoutError:
            raise Refused(
                f"had not sent the file when the {allowed:.0f} s allowed for it were over"
            ) from None
        if hashlib.sha256(raw).hexdigest() != sha256:
            raise WrongFile(
                "gave another file than the publisher's (its sha256 differs from the registry's)"
            )
        return raw
    raise AssertionError("the last attempt returns or raises")


def _attempt(url: str, size: int) -> bytes:
    try:
        with urllib.request.urlopen(_request(url), timeout=TIMEOUT) as response:
            return _read(response, size)
    except urllib.error.HTTPError as error:
        if error.code >= 500 or error.code == 429:
            raise _Passing(f"answered {error.code} {error.reason}") from None
        raise Refused(f"answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise _judge(error.reason) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _judge(error) from None


def _request(url: str) -> urllib.request.Request:
    """The request for an address; a login in it goes into a header, and not to where the server may send us on."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused("is not an address that starts with http:// or https://")
    login, _, host = parts.netloc.rpartition("@")
    bare = urllib.parse.urlunsplit(parts._replace(netloc=host))
    request = urllib.request.Request(bare, headers={"User-Agent": f"sgpmic/{__version__}"})
    if login:
        token = base64.b64encode(urllib.parse.unquote_to_bytes(login)).decode("ascii")
        request.add_unredirected_header("Authorization", f"Basic {token}")
    return request


def _read(response: http.client.HTTPResponse, size: int) -> bytes:
    """The body, never more than one byte past the published size."""
    parts, length = [], 0
    while chunk := response.read(min(_CHUNK, size + 1 - length)):
        parts.append(chunk)
        length += len(chunk)
        if length > size:
            raise WrongFile(f"sent more than the {size} bytes of the publisher's file")
    if length < size:
        announced = response.getheader("Content-Length")
        if announced is not None and announced.isdigit() and int(announced) > length:
            raise _Passing(f"broke off after {length} of {announced} bytes")
    return b"".join(parts)


def _judge(fault: object) -> Exception:
    """Passing or not: a connection that broke may come back; no network, no such host and silence will not."""
    if isinstance(fault, TimeoutError):
        return Refused(f"was silent for {TIMEOUT:.0f} s")
    if isinstance(fault, socket.gaierror):
        return Refused("cannot be reached (the host name is not known here; is there a network?)")
    if isinstance(fault, OSError) and fault.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
        return Refused("cannot be reached (no network)")
    if isinstance(fault, http.client.InvalidURL | UnicodeError):
        return Refused("is no valid address")
    if isinstance(fault, ConnectionError | http.client.HTTPException):
        return _Passing(f"broke the connection ({type(fault).__name__})")
    return Refused(f"cannot be read ({fault})")
