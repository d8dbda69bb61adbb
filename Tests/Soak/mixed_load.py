"""A steady load of all kinds of calls, from clients with keep-alive connections."""

import asyncio
import base64
import itertools
import json
import threading
import time
from collections import Counter, defaultdict

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import ocsp

from acknowledged_purchases import ENVIRONMENT, Connection
from process_helpers import b64url, flat, path_part

BUNDLE = "com.example.soak"
SCOPE = f"/v1/apps/{BUNDLE}/{ENVIRONMENT}"
OWN_CLOCKS = 4
RECEIPTS = 40


class Wrong(Exception):
    """An answer that is neither correct nor the error for an unavailable store."""


class MixedLoad:
    """A load that runs in its own thread. `begin` and `end` may be called repeatedly; the known purchases are kept."""

    def __init__(self, server, key):
        self.server, self.key = server, key
        self.sold = defaultdict(list)
        # The last purchase of these customers was answered with an error, so it may or may not be stored.
        self.unsure = Counter()
        self.numbers = itertools.count()
        self.log, self.wrong, self.latest, self.originals, self.receipts = [], [], [], [], []

    # Start and stop

    def begin(self):
        self.stopping = False
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all_clients()))
        self.thread.start()

    def end(self):
        self.stopping = True
        self.thread.join(90)
        assert not self.thread.is_alive(), "a client still waits for its answer"
        assert not self.wrong, "\n".join(self.wrong[:5])

    async def all_clients(self):
        # For each operation, the number of clients, and the pause of each client between two calls.
        crews = [
            (self.buys, "control", 4, 0.10), (self.history, ENVIRONMENT, 2, 0.05),
            (self.notifications, ENVIRONMENT, 1, 0.15), (self.verify_receipt, ENVIRONMENT, 1, 0.10),
            (self.refund, "control", 1, 0.30),
            (self.advance, "control", OWN_CLOCKS, 1.0), (self.revocation, ENVIRONMENT, 1, 0.10),
            (self.refused, ENVIRONMENT, 2, 0.10),
            (self.console, "control", 1, 0.10), (self.status, ENVIRONMENT, 1, 0.10),
        ]
        await asyncio.gather(*(
            self.crew(operation, Connection(self.server.ports[face]), place, pause)
            for operation, face, count, pause in crews for place in range(count)
        ))

    async def crew(self, operation, client, place, pause):
        turns = itertools.count()
        while not self.stopping:
            begun = time.monotonic()
            try:
                is_good = await operation(client, place, next(turns))
            except Exception as error:
                # A client that fails reports the error, and the others continue.
                self.wrong.append(f"{operation.__name__}: {type(error).__name__}: {error}")
                break
            if is_good is not None:
                self.log.append((time.monotonic(), operation.__name__, is_good))
            await asyncio.sleep(max(0.0 if is_good else 0.05, pause - (time.monotonic() - begun)))
        client.close()

    async def control(self, client, method, path, body=None, but=()):
        """Calls the control API. Returns the JSON answer, or None while the store is unavailable."""
        status, text = await client.request(method, path, body)
        if status in (200, 201):
            return flat(json.loads(text))
        if status == 503 and json.loads(text)["code"] == "busy":
            return None
        if status in but:
            return {}
        raise Wrong(f"{method} {path}: {status} {text[:300]!r}")

    async def apple(self, client, method, path, body=None, token=None):
        """Calls Apple's API. Returns the JSON answer, or None while the store is unavailable."""
        headers = f"Authorization: Bearer {token or self.key.token()}\r\n"
        status, text = await client.request(method, path, body, headers)
        if status == 200:
            return json.loads(text)
        if status == 500 and json.loads(text)["errorCode"] == 5000001:
            return None
        raise Wrong(f"{method} {path}: {status} {text[:300]!r}")

    # Operations

    async def buys(self, client, place, turn):
        """Each buyer buys for forty customers in turn, and later for forty other customers."""
        number = next(self.numbers)
        customer = f"customer {place}/{turn // 800}/{turn % 40}"
        kind = "season" if number % 3 else "coins"
        body = {"productId": f"{BUNDLE}.{kind}", "offer": {"kind": "NONE"}}
        answer = await self.control(client, "POST", f"{SCOPE}/customers/{path_part(customer)}/purchases", body)
        if answer is None:
            self.unsure[customer] += 1
            return False
        self.sold[customer].append(answer["transactionId"])
        self.latest = (self.latest + [(customer, answer["transactionId"])])[-200:]
        return True

    async def history(self, client, place, turn):
        """Reads a history, every second time with a new token."""
        if not self.latest:
            return None
        token = self.key.token(jti=f"{place}/{turn}", bid=BUNDLE) if turn % 2 else None
        _, transaction = self.latest[turn % len(self.latest)]
        route = ("v2/history", "v1/transactions", "v1/history", "v2/refund/lookup")[turn // 2 % 4]
        return await self.apple(client, "GET", f"/inApps/{route}/{transaction}", token=token) is not None

    async def status(self, client, place, turn):
        if not self.originals:
            return None
        path = f"/inApps/v1/subscriptions/{self.originals[turn % len(self.originals)]}"
        return await self.apple(client, "GET", path) is not None

    async def notifications(self, client, place, turn):
        """Reads the first pages of the notification history of the past weeks."""
        now = int(time.time() * 1000)
        wanted, query = {"startDate": now - 20 * 86_400_000, "endDate": now}, ""
        for _ in range(3):
            page = await self.apple(client, "POST", f"/inApps/v1/notifications/history{query}", wanted)
            if page is None:
                return False
            if not page["hasMore"]:
                break
            query = f"?paginationToken={page['paginationToken']}"
        return True

    async def verify_receipt(self, client, place, turn):
        if len(self.receipts) < RECEIPTS:
            if not self.latest:
                return None
            customer = self.latest[turn % len(self.latest)][0]
            answer = await self.control(self.side(client), "GET", f"{SCOPE}/customers/{path_part(customer)}/receipt")
            if answer is None:
                return False
            self.receipts.append(answer["receipt"])
        status, text = await client.request("POST", "/verifyReceipt", {
            "receipt-data": self.receipts[turn % len(self.receipts)], "password": self.secret,
            "exclude-old-transactions": turn % 2 == 0,
        })
        code = json.loads(text)["status"]
        if status != 200 or code not in (0, 21005):
            raise Wrong(f"verifyReceipt: {status} {text[:300]!r}")
        return code == 0

    def side(self, client):
        """A control client for an operation that otherwise calls Apple's API."""
        if not hasattr(client, "beside"):
            client.beside = Connection(self.server.ports["control"])
            close = client.close
            client.close = lambda: (close(), client.beside.close())
        return client.beside

    async def refund(self, client, place, turn):
        if not self.latest:
            return None
        path = f"{SCOPE}/transactions/{self.latest[turn % len(self.latest)][1]}/refund"
        return await self.control(client, "POST", path, {}, but=(409,)) is not None

    async def advance(self, client, place, turn):
        """Subscribes a new customer on a customer clock, and advances the clock by half a year in six steps."""
        async def act(path, body, method="POST", but=(409,)):
            return await self.control(client, method, SCOPE + path, body, but=but)

        clock = f"clock-{place}"
        if turn % 8 == 0:
            name = f"subscriber {place}/{turn // 8}/{next(self.numbers)}"
            client.path = f"/customers/{path_part(name)}"
            made = await act("/customers", {"customer": name}, but=())
            return made is not None and await act(client.path, {"clock": clock}, "PATCH", but=()) is not None
        if turn % 8 == 1:
            body = {"productId": f"{BUNDLE}.basic", "offer": {"kind": "NONE"}}
            bought = await act(f"{client.path}/purchases", body, but=(404,))
            if bought and "transactionId" in bought:
                self.originals = (self.originals + [bought["transactionId"]])[-50:]
                client.original = bought["transactionId"]
            return bought is not None
        if turn % 8 == 6 and getattr(client, "original", None):
            original, client.original = client.original, None
            return await act(f"/subscriptions/{original}/cancel", {}) is not None
        return await act("/clock/advance", {"clock": clock, "by": "P1M"}) is not None

    async def revocation(self, client, place, turn):
        path = "/ocsp" if turn % 2 else "/ocsp/" + path_part(base64.b64encode(self.question).decode())
        method, body = ("POST", self.question) if turn % 2 else ("GET", None)
        kind = "Content-Type: application/ocsp-request\r\n" if body else ""
        status, answer = await client.request(method, path, body, kind)
        if status != 200 or not answer:
            raise Wrong(f"OCSP: {status} {answer[:100]!r}")
        return True

    async def refused(self, client, place, turn):
        """Sends tokens with errors of every kind, and unknown ids."""
        now = int(time.time())
        token = (
            lambda: "", lambda: "a.b.c", lambda: self.key.token(exp=now - 10), lambda: self.key.token(aud=f"x{turn}"),
            lambda: self.key.token(jti=str(turn))[:-6] + "AAAAAA", lambda: self.key.token(bid=f"com.example.{turn}"),
            lambda: b64url(json.dumps({"alg": "none", "n": turn}).encode()) + ".e30.", lambda: self.key.token(),
        )[turn % 8]()
        status, text = await client.request(
            "GET", f"/inApps/v1/transactions/{turn}", headers=f"Authorization: Bearer {token}\r\n" if token else ""
        )
        # The server looks up a well-formed id only, so the store may be unavailable for it. A malformed id is rejected
        # first.
        if status == 500 and json.loads(text)["errorCode"] == 5000001:
            return False
        if status not in (400, 401, 404):
            raise Wrong(f"a refused request was answered {status} {text[:300]!r}")
        return True

    async def console(self, client, place, turn):
        """Sends the requests of an open console."""
        customer = path_part(self.latest[-1][0]) if self.latest else None
        paths = [
            "/v1/status", "/v1/apps", "/v1/requests?limit=20", f"{SCOPE}/customers?limit=20", f"{SCOPE}/clocks",
            f"{SCOPE}/notifications?limit=20", f"/v1/apps/{BUNDLE}/catalog", f"{SCOPE}/endpoints", "/v1/faults",
        ] + ([f"{SCOPE}/customers/{customer}"] if customer else [])
        if turn % 10 == 0:
            return (await client.request("GET", "/metrics"))[0] == 200
        return await self.control(client, "GET", paths[turn % len(paths)]) is not None

    # Setup

    def set_up(self, post):
        """Creates an endpoint that accepts everything, clocks, a shared secret, and an OCSP request."""
        control = self.server.control
        control("PUT", f"{SCOPE}/endpoints/primary", {"url": post.url})
        for place in range(OWN_CLOCKS):
            control("POST", f"{SCOPE}/clocks", {"name": f"clock-{place}", "mode": "frozen"})
        self.secret = control("PUT", f"/v1/apps/{BUNDLE}/shared-secret", {})["sharedSecret"]
        pem = control("GET", "/v1/ca")["chain"]
        leaf, issuer = x509.load_pem_x509_certificates(pem.encode())[:2]
        question = ocsp.OCSPRequestBuilder().add_certificate(leaf, issuer, hashes.SHA256()).build()
        self.question = question.public_bytes(Encoding.DER)

    def errors(self, since, until) -> int:
        return sum(1 for at, _, is_good in self.log if since <= at < until and not is_good)
