"""Runs inside network namespaces without a route out: two Tills on one database; receivers on loopback, in a private
network and in the public one (198.51.100.0/24); and a DNS server whose names change their address. Receivers redirect
deliveries to every address of the Tills that a POST could run. The results go to standard output as JSON, and
test_redirects.py checks them.

    PYTHONPATH=Tests/Python unshare --net --mount [--map-root-user] python redirect_network.py DATABASE-URL FOLDER
"""

import asyncio
import ctypes
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import requests

from nodes_helpers import Nodes
from process_helpers import path_part, set_up_app, wait_until

BUNDLE = "com.example.redirects"
SCOPE = f"/v1/apps/{BUNDLE}/sandbox"
STATUSES = (301, 302, 303, 307, 308)
SOURCES = {"loopback": "127.0.0.1", "private": "10.77.0.2", "public": "198.51.100.2"}
# A redirect can name the loopback address in these ways: by its IP address, by a name, or by a name that is public half
# of the time.
WAYS = {"address": "127.0.0.1", "name": "till.test", "moving": "moving.test"}
ARRIVAL = "198.51.100.3"
APPLE = ["/inApps/v1/notifications/test", "/inApps/v1/transactions/{id}/finish", "/inApps/v1/notifications/history",
         "/inApps/v1/subscriptions/extend/mass", "/verifyReceipt"]
HEADER = "Till-Delivery"


# The network ----------------------------------------------------------------------------------------------------------


def ip(*arguments, inside=None):
    enter = ["nsenter", "--target", str(inside), "--net", "--"] if inside else []
    subprocess.run([*enter, "ip", *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


class Outside:
    """A second namespace with the private and the public network, connected by a pair of virtual interfaces."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["unshare", "--net", sys.executable, "-c", "import signal; print('ready', flush=True); signal.pause()"],
            stdout=subprocess.PIPE, text=True,
        )
        assert self.process.stdout.readline() == "ready\n"
        there = self.process.pid
        ip("link", "set", "lo", "up")
        ip("link", "add", "inner", "type", "veth", "peer", "name", "outer", "netns", there)
        for address in ("198.51.100.1/24", "10.77.0.1/24"):
            ip("address", "add", address, "dev", "inner")
        for address in ("198.51.100.2/24", "198.51.100.3/24", "10.77.0.2/24"):
            ip("address", "add", address, "dev", "outer", inside=there)
        ip("link", "set", "inner", "up")
        ip("link", "set", "outer", "up", inside=there)

    def socket(self, address, port=0):
        """Creates a listening socket in the second namespace. A thread enters the namespace to create the socket."""
        made = []

        def make():
            with open(f"/proc/{self.process.pid}/ns/net") as namespace:
                libc = ctypes.CDLL(None, use_errno=True)
                assert libc.setns(namespace.fileno(), 0x40000000) == 0, os.strerror(ctypes.get_errno())  # CLONE_NEWNET
            made.append(listening(address, port))

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        return made[0]

    def close(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def listening(address, port=0):
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((address, port))
    made.listen(1024)
    return made


def bind_over(folder, path, text):
    file = folder / Path(path).name
    file.write_text(text)
    subprocess.run(["mount", "--bind", file, path], check=True)


class MovingNames:
    """A DNS server on 127.0.0.1. moving.test has a public address and the loopback address in turn; other names have
    none."""

    def __init__(self):
        self.asked = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            query, sender = self.socket.recvfrom(512)
            end = query.index(b"\0", 12) + 5
            name, kind = query[12 : end - 4], struct.unpack("!H", query[end - 4 : end - 2])[0]
            is_moving = name.lower() == b"\x06moving\x04test\0"
            answer = b""
            if is_moving and kind == 1:
                self.asked += 1
                address = SOURCES["public"] if self.asked % 2 else "127.0.0.1"
                answer = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 0, 4) + socket.inet_aton(address)
            flags = 0x8180 if is_moving else 0x8183
            head = query[:2] + struct.pack("!HHHHH", flags, 1, 1 if answer else 0, 0, 0)
            self.socket.sendto(head + query[12:end] + answer, sender)


class Receivers:
    """Developers' servers in one event loop. `answer` returns the redirect for the n-th post to a path, or None."""

    def __init__(self, answer):
        self.answer = answer
        self.counts = Counter()
        self.headers = Counter()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def serve(self, made, name):
        async def connected(reader, writer):
            try:
                while True:
                    head = (await reader.readuntil(b"\r\n\r\n")).decode()
                    await reader.readexactly(int(re.search(r"(?i)content-length: *(\d+)", head).group(1)))
                    path = head.split(" ", 2)[1]
                    place = self.answer(name, path, self.counts[name, path])
                    self.counts[name, path] += 1
                    self.headers[re.search(rf"(?im)^{HEADER}: *(.*?)\r$", head) is not None] += 1
                    line = f"{place[0]} Go\r\nLocation: {place[1]}" if place else "200 OK"
                    # The connection is closed, so that a name with changing addresses is resolved again for each
                    # delivery.
                    line += "\r\nConnection: close" if name == "decoy" else ""
                    writer.write(f"HTTP/1.1 {line}\r\nContent-Length: 0\r\n\r\n".encode())
            except (asyncio.IncompleteReadError, ConnectionError):
                writer.close()

        asyncio.run_coroutine_threadsafe(asyncio.start_server(connected, sock=made), self.loop).result(20)
        return made.getsockname()[1]


# The shop -------------------------------------------------------------------------------------------------------------


class Backend:
    """Two nodes with data that any of the operations could change."""

    def __init__(self, url, folder):
        self.folder = folder
        # The Tills accept the test's host names. A request that was rejected because of its host name would prove
        # nothing.
        names = ["--control-host", "till.test", "--control-host", "moving.test", "--request-log-length", "10"]
        self.nodes = Nodes(folder / "nodes", url, 2, *names)
        self.one = self.nodes.servers[0]
        self.key = set_up_app(self.one, BUNDLE)
        call = self.one.control
        self.spare = call("POST", "/v1/keys", {"name": "spare"})["keyId"]
        call("POST", f"{SCOPE}/customers", {"customer": "ann"})
        call("POST", f"{SCOPE}/customers", {"customer": "bob"})
        call("POST", f"{SCOPE}/families", {"organizer": "ann", "members": ["bob"]})
        call("PUT", "/v1/snapshots/before")
        self.transaction = self.buy()
        call("PUT", f"/v1/apps/{BUNDLE}/shared-secret", {})
        call("PUT", f"/v1/teams/{self.key.issuer_id}/shared-secret", {})
        call("POST", "/v1/tokens", {"name": "spare"})
        fault = {"kind": "latency", "milliseconds": 1, "route": "getRefundHistory"}
        self.fault = call("POST", "/v1/faults", fault)["id"]
        call("POST", f"{SCOPE}/clocks", {"name": "spare"})

    def buy(self):
        body = {"productId": f"{BUNDLE}.coins"}
        return self.one.control("POST", f"{SCOPE}/customers/ann/purchases", body)["transactionId"]

    def operations(self):
        """The paths of all operations that change data and read no body."""
        document = self.one.control("GET", "/openapi.json")
        values = {
            "bundleId": BUNDLE, "environment": "sandbox", "name": "before", "keyId": self.spare, "customer": "bob", "member": "cat",
            "transactionId": self.transaction, "endpoint": "primary", "tokenName": "spare", "clock": "spare",
            "faultId": self.fault, "issuerId": self.key.issuer_id,
        }
        found = {}
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if method != "get" and "requestBody" not in operation:
                    filled = re.sub(r"{(\w+)}", lambda match: path_part(str(values[match.group(1)])), path)
                    found[operation["operationId"]] = (method.upper(), filled)
        return found

    def state(self):
        """The data that the operations would change."""
        call = self.one.control
        kept = {path: call("GET", path) for path in (
            "/v1/keys", "/v1/snapshots", "/v1/faults", "/v1/tokens", "/v1/ca", f"{SCOPE}/endpoints", f"{SCOPE}/clocks",
            f"/v1/apps/{BUNDLE}/shared-secret", f"{SCOPE}/customers/bob/family",
        )}
        rows = call("GET", f"{SCOPE}/customers/ann/transactions?limit=100")
        kept["first"] = next((row for row in rows["transactions"] if row["transactionId"] == self.transaction), None)
        kept["tests"] = sum(found["notificationType"] == "TEST" for found in self.notifications())
        return kept

    def notifications(self):
        page = self.one.control("GET", f"{SCOPE}/notifications?limit=100")
        assert "next" not in page, "more than one page"
        return page["notifications"]

    def refusals(self):
        """The number of requests that the two nodes have answered with 403 since their start."""
        texts = [node.session.get(node.address("control") + "/metrics", timeout=30).text for node in self.nodes.servers]
        counts = re.findall(r'^till_requests_total.*status="403".* (\S+)$', "\n".join(texts), re.MULTILINE)
        return int(sum(map(float, counts)))

    def targets(self):
        """The port and path of every operation that a delivery must not run."""
        routes = {"control": [path for _, path in self.operations().values()]}
        routes["sandbox"] = routes["production"] = [path.format(id=self.transaction) for path in APPLE]
        return [(node.ports[face], path) for node in self.nodes.servers for face in routes for path in routes[face]]

    def put_endpoint(self, name, url, expect=(200,)):
        return self.one.control("PUT", f"{SCOPE}/endpoints/{name}", {"url": url}, expect=expect)

    def log(self):
        return "".join(node.stderr() for node in self.nodes.servers)


def drive(backend, outside, found):
    targets = backend.targets()
    found["operations"] = sorted(backend.operations())
    ports = {}

    def answer(_, path, number):
        parts = path.strip("/").split("/")
        if parts[0] == "to-till":
            port, place = targets[number % len(targets)]
            return int(parts[1]), f"http://{WAYS[parts[2]]}:{port}{place}"
        if parts[0] == "outward":
            return int(parts[1]), f"http://{ARRIVAL}:{ports['arrival']}/arrived"
        if parts[0] == "inward":
            return int(parts[1]), f"http://{SOURCES[parts[2]]}:{ports[parts[2]]}/reached"
        return None

    receivers = Receivers(answer)
    ports["loopback"] = receivers.serve(listening("127.0.0.1"), "loopback")
    for source in ("private", "public"):
        ports[source] = receivers.serve(outside.socket(SOURCES[source]), source)
    ports["arrival"] = receivers.serve(outside.socket(ARRIVAL), "arrival")
    # A receiver listens on each of Till's ports at the public address of the changing name.
    for port in {port for port, _ in targets}:
        receivers.serve(outside.socket(SOURCES["public"], port), "decoy")

    def url(source, path):
        return f"http://{SOURCES[source]}:{ports[source]}/{path}"

    backend.put_endpoint("primary", url("loopback", "plain"))
    for status in STATUSES:
        for source in SOURCES:
            for way in WAYS:
                backend.put_endpoint(f"till-{status}-{source}-{way}", url(source, f"to-till/{status}/{way}"))
        backend.put_endpoint(f"outward-{status}", url("public", f"outward/{status}"))
        for source in ("loopback", "private"):
            backend.put_endpoint(f"inward-{status}-{source}", url("public", f"inward/{status}/{source}"))
    # The name of this endpoint had another address when the endpoint was configured.
    control = backend.one.ports["control"]
    moved = f"http://moving.test:{control}/v1/ca/rotate"
    wait_until(lambda: "url" in backend.put_endpoint("moved", moved, expect=(200, 400)), 30)
    found["refusedEndpoints"] = {
        address: backend.put_endpoint("bad", address, expect=(400,)) for address in (
            f"http://127.0.0.1:{control}/v1/ca/rotate", f"http://till.test:{control}/",
            f"http://[::ffff:127.0.0.1]:{control}/",
            f"http://127.0.0.1:{backend.nodes.servers[1].ports['control']}/v1/ca/rotate",
            f"http://127.0.0.1:{backend.one.ports['sandbox']}/", "http://169.254.169.254/latest/meta-data",
        )
    }

    before = backend.state()
    known = {found["notificationUUID"] for found in backend.notifications()}
    bought = [backend.buy() for _ in targets]

    def attempted():
        made = [one for one in backend.notifications() if one["notificationUUID"] not in known]
        deliveries = [delivery for one in made for delivery in one["deliveries"]]
        return len(made) >= len(targets) and all(each["attempts"] for each in deliveries) and deliveries

    deliveries = wait_until(attempted, 240)
    ends = Counter()
    for delivery in deliveries:
        attempt = delivery["attempts"][0]
        reason = attempt.get("reason", "")
        kind = next((words for words in ("port of this Till", "may not redirect") if words in reason), bool(reason))
        ends[f"{delivery['endpoint']} {attempt['sendAttemptResult']} {attempt.get('status')} {kind}"] += 1
    rows = backend.one.control("GET", f"{SCOPE}/customers/ann/transactions?limit=100")["transactions"]
    found |= {
        "targets": len(targets), "ends": ends, "isUnchanged": backend.state() == before, "refusals": backend.refusals(),
        "bought": set(bought) <= {row["transactionId"] for row in rows},
        "reached": receivers.counts["loopback", "/reached"] + receivers.counts["private", "/reached"],
        "arrived": receivers.counts["arrival", "/arrived"], "marked": receivers.headers[True],
        "unmarked": receivers.headers[False],
        "logged": "was refused because of its endpoint's address" in backend.log(),
    }

    # This is the first defense: a request that is marked as a delivery is rejected, from any sender.
    statuses = Counter()
    payload = {"signedPayload": "a.b.c"}
    for port, path in targets:
        done = requests.post(f"http://127.0.0.1:{port}{path}", json=payload, headers={HEADER: "1"}, timeout=30)
        statuses[f"marked {done.status_code}"] += 1
    # This is the second defense, for an unmarked request: an operation that reads no body rejects a request with a
    # body.
    for node in backend.nodes.servers:
        for method, path in backend.operations().values():
            done = requests.request(method, f"http://127.0.0.1:{node.ports['control']}{path}", json=payload, timeout=30)
            statuses[f"body {done.status_code} {done.json()['code']}"] += 1
    found |= {
        "directStatuses": statuses, "isStillUnchanged": backend.state() == before, "laterRefusals": backend.refusals(),
    }
    found["loggedAtControl"] = "the control API refused a notification" in backend.log()

    # As a counter-check, the same operations run when they are sent without a body.
    called = backend.one.session.post(f"http://127.0.0.1:{control}{backend.operations()['rotateChain'][1]}", timeout=30)
    found["rotated"] = called.status_code


def main(url, folder):
    folder = Path(folder)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    bind_over(folder, "/etc/hosts", "127.0.0.1 localhost till.test\n")
    bind_over(folder, "/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:2 attempts:2\n")
    bind_over(folder, "/etc/nsswitch.conf", "hosts: files dns\n")
    outside = Outside()
    found = {}
    backend = None
    try:
        names = MovingNames()
        backend = Backend(url, folder)
        drive(backend, outside, found)
        found["asked"] = names.asked
        print(json.dumps(found))
    finally:
        if backend:
            for node in backend.nodes.alive:
                node.kill()
        outside.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
