"""An HTTP server on this machine whose answers each test defines."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep

BODY = bytes(range(256)) * 400
Answer = Callable[[BaseHTTPRequestHandler, int], None]


class Server:
    """A server where `answers[path](handler, count)` answers the count-th request of a path."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.requests: list[str] = []
        lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with lock:
                    outer.requests.append(self.path)
                    count = outer.requests.count(self.path)
                answer = outer.answers.get(self.path)
                if answer is None:
                    self.send_error(404)
                else:
                    answer(self, count)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def send(handler: BaseHTTPRequestHandler, body: bytes, *, length: int | None = None) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)


def raw(pieces: Sequence[bytes], pause: float = 0.0, stay: bool = False) -> Answer:
    """Answer with pieces of bytes and pauses between them, then wait for the client or close."""

    def answer(handler: BaseHTTPRequestHandler, count: int) -> None:
        with suppress(OSError):
            for piece in pieces:
                handler.wfile.write(piece)
                sleep(pause)
            if stay:
                handler.connection.recv(1)

    return answer


def redirection(location: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n".encode()
