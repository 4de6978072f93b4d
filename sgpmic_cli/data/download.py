"""Download of one file whose length and hash are known beforehand."""

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

TIMEOUT = 15.0  # seconds without a byte
DEADLINE = 300.0  # seconds for one attempt, against a server that drips
ATTEMPTS = 4
BACKOFF = 0.5  # seconds before the second attempt, doubled each time
_CHUNK = 1 << 16


class Refused(Exception):
    """This address does not give the file; the text says why, for a sentence that starts with the address."""


class WrongFile(Refused):
    """The address gives a file, but not the publisher's."""


class _Passing(Exception):
    """A fault that may be gone a moment later."""


def download(url: str, *, sha256: str, size: int) -> bytes:
    """The file at `url`, its length and hash checked; passing faults are retried, everything else is Refused."""
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise Refused("is not an address that starts with http:// or https://")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            raw = _attempt(url, size)
        except _Passing as fault:
            if attempt == ATTEMPTS:
                raise Refused(f"{fault} ({ATTEMPTS} attempts)") from None
            # A random share keeps processes that failed together from coming back together.
            time.sleep(BACKOFF * 2 ** (attempt - 1) * random.uniform(0.75, 1.25))
            continue
        if hashlib.sha256(raw).hexdigest() != sha256:
            raise WrongFile("gave another file than the publisher's (its sha256 differs from the registry's)")
        return raw
    raise AssertionError("the last attempt returns or raises")


def _attempt(url: str, size: int) -> bytes:
    request = urllib.request.Request(url, headers={"User-Agent": f"sgpmic/{__version__}"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return _read(response, size)
    except urllib.error.HTTPError as error:
        if error.code >= 500 or error.code == 429:
            raise _Passing(f"answered {error.code} {error.reason}") from None
        raise Refused(f"answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise _judge(error.reason) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _judge(error) from None


def _read(response: http.client.HTTPResponse, size: int) -> bytes:
    """The body, never more than one byte past the published size."""
    started, parts, length = time.monotonic(), [], 0
    while chunk := response.read(min(_CHUNK, size + 1 - length)):
        parts.append(chunk)
        length += len(chunk)
        if length > size:
            raise WrongFile(f"sent more than the {size} bytes of the publisher's file")
        if time.monotonic() - started > DEADLINE:
            raise Refused(f"had not sent the file after {DEADLINE:.0f} s")
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
    if isinstance(fault, ConnectionError | http.client.HTTPException):
        return _Passing(f"broke the connection ({type(fault).__name__})")
    return Refused(f"cannot be read ({fault})")
