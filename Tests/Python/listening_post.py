"""A developer's webhook receiver. It records what Till posts, and returns configured answers, including broken ones."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Received:
    """One received post."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body

    @property
    def jws(self) -> str:
        document = json.loads(self.body)
        assert set(document) == {"signedPayload"}
        return document["signedPayload"]


class ListeningPost:
    """A threaded HTTP receiver on a free local port.

    An answer is a status, or a function that gets the handler and writes to its socket. `answers` contains the answers
    to the next posts. When it is empty, `answer` is used.
    """

    def __init__(self, answer=200):
        self.answer = answer
        self.answers = []
        self.received = []
        self._changed = threading.Condition()
        self._released = threading.Event()
        post = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                body = self.rfile.read(length)
                if len(body) < length:
                    # Till was killed in the middle of a request, so nothing was received.
                    self.close_connection = True
                    return
                with post._changed:
                    post.received.append(Received(self.path, dict(self.headers), body))
                    answer = post.answers.pop(0) if post.answers else post.answer
                    post._changed.notify_all()
                if callable(answer):
                    self.close_connection = True
                    answer(self)
                else:
                    post.reply(self, answer)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            # With the usual backlog of five, connections that a busy machine accepts too late would be dropped and time
            # out.
            request_queue_size = 128

            def handle_error(self, request, client_address):
                """Ignores connection resets, which occur when Till is killed."""
                if not isinstance(sys.exc_info()[1], ConnectionError):
                    super().handle_error(request, client_address)

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/notifications"

    def wait_for(self, count, seconds=120) -> list:
        """Waits until `count` posts have been received, and returns all posts."""
        with self._changed:
            enough = self._changed.wait_for(lambda: len(self.received) >= count, seconds)
            assert enough, f"received {len(self.received)} posts, expected {count}"
            return list(self.received)

    def close(self):
        self._released.set()
        self._server.shutdown()
        self._server.server_close()

    @staticmethod
    def reply(handler, status, body=b"", **headers):
        """Writes a complete answer."""
        handler.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            handler.send_header(name, str(value))
        handler.end_headers()
        handler.wfile.write(body)

    # Broken answers

    def hang(self, handler):
        """Sends nothing until the receiver is closed."""
        self._released.wait(120)

    @staticmethod
    def raw(text):
        """Writes bytes that need not be HTTP, and closes the connection."""
        def write(handler):
            handler.wfile.write(text)
            handler.wfile.flush()
        return write

    def redirect(self, handler):
        """Redirects the post to the same address."""
        self.reply(handler, 307, Location=handler.path)
