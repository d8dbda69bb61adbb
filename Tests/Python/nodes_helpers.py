"""Several servers with one PostgreSQL database, and their state without ids, signatures and signing dates."""

import random
import shutil
import signal
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from process_helpers import Server, payload, set_up_app

BUNDLE = "com.example.nodes"
SCOPE = f"/v1/apps/{BUNDLE}/sandbox"
HOUR = 3_600_000
DAY = 24 * HOUR
# Each of the two runs starts on 1 January 2040.
START = 2_208_988_800_000
# After this number of seconds, another node takes over. It is short, so that a kill has an effect within the test.
LEASE = 4
# A request that takes longer than this hangs. On a busy machine, many events fall due at once.
PATIENCE = 600
IDS = {
    "transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId", "notificationUUID",
}


class Nodes:
    """Servers that share a database. Each has its own data folder; all have the same certificates."""

    def __init__(self, work, url, count, *arguments):
        self.work = Path(work)
        self.work.mkdir(exist_ok=True)
        self.url = url
        self.arguments = arguments
        self.servers = [None] * count
        for place in range(count):
            self.start(place)

    def data(self, place) -> Path:
        return self.work / f"node-{place}"

    def start(self, place):
        if place > 0 and not self.data(place).exists():
            self.data(place).mkdir()
            shutil.copytree(self.data(0) / "ca", self.data(place) / "ca")
        folder = self.work / f"logs-{place}"
        folder.mkdir(exist_ok=True)
        self.servers[place] = Server(
            self.data(place), folder, "--database", self.url, "--lease", LEASE, *self.arguments,
        )
        return self.servers[place]

    def kill(self, place):
        self.servers[place].kill()

    @property
    def alive(self) -> list:
        return [server for server in self.servers if server and server.process.poll() is None]

    def stop(self):
        for server in self.alive:
            assert server.stop() == 0, server.stderr()

    def close(self):
        for server in self.alive:
            server.kill()


class Subscriber:
    """A customer who subscribed in the past month. One in ten turns off auto-renew, and one in ten has a declined
    card."""

    def __init__(self, number, server, at):
        self.name = f"customer-{number}"
        self.cancels = number % 10 == 3
        self.declines = number % 10 == 7

        def control(path, body, method="POST"):
            return server.control(method, SCOPE + path, body)

        bought = control(f"/customers/{self.name}/purchases", {
            "productId": f"{BUNDLE}.basic", "offer": {"kind": "NONE"}, "at": at,
        })
        self.original = bought["transactionId"]
        assert bought["notifications"] == ["SUBSCRIBED/INITIAL_BUY"]
        if self.cancels:
            control(f"/subscriptions/{self.original}/cancel", {})
        if self.declines:
            control(f"/customers/{self.name}", {"card": "declinedForRenewals"}, "PATCH")


def open_shop(server, post, count) -> tuple:
    """Creates the shop of a run: an app on a frozen clock, with subscribers."""
    key = set_up_app(server, BUNDLE)
    server.control("PUT", f"{SCOPE}/clock", {"mode": "frozen", "at": START - 31 * DAY})
    server.control("PUT", f"{SCOPE}/endpoints/primary", {"url": post.url})
    server.control("PUT", f"{SCOPE}/clock", {"mode": "frozen", "at": START})

    def subscriber(number):
        # The start dates are spread, so that renewals fall due all the time.
        return Subscriber(number, server, START - 30 * DAY + number * 7919 * 60_000 % (29 * DAY))

    with ThreadPoolExecutor(8) as pool:
        return key, list(pool.map(subscriber, range(count)))


def run(server, speed):
    server.control("PUT", f"{SCOPE}/clock", {"mode": "running", "speed": speed})


def freeze(server) -> int:
    return server.control("PUT", f"{SCOPE}/clock", {"mode": "frozen"})["now"]


def advance(server, to=None, by=None, settle=60) -> dict:
    url = f"{server.address('control')}{SCOPE}/clock/advance?settle={settle}"
    answer = server.session.post(url, json={"to": to} if to else {"by": by}, timeout=PATIENCE)
    assert answer.status_code == 200, answer.text
    assert answer.json()["quarantined"] == [], answer.text
    return answer.json()


def ask_apple(server, key, path) -> dict:
    """Calls the App Store Server API of the sandbox."""
    answer = server.apple(key, path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def history(server, key, any_id) -> list:
    """The payloads of all transactions of a history."""
    rows, revision = [], ""
    while True:
        page = ask_apple(server, key, f"/inApps/v2/history/{any_id}{revision}")
        rows += [payload(jws) for jws in page["signedTransactions"]]
        if not page["hasMore"]:
            return rows
        revision = f"?revision={page['revision']}"


def statuses(server, key, any_id) -> list:
    return [
        {"status": last["status"], "transaction": payload(last["signedTransactionInfo"]),
         "renewal": payload(last["signedRenewalInfo"])}
        for group in ask_apple(server, key, f"/inApps/v1/subscriptions/{any_id}")["data"]
        for last in group["lastTransactions"]
    ]


class ReceivedNotifications:
    """The received notifications: the different bodies of each notification, and the order in which they first
    arrived."""

    def __init__(self, posts):
        self.bodies = defaultdict(set)
        self.first = {}
        for number, post in enumerate(posts):
            sent = payload(post.jws)
            self.bodies[sent["notificationUUID"]].add(post.body)
            self.first.setdefault(sent["notificationUUID"], (number, self.decoded(sent)))
        self.twice = len(posts) - len(self.bodies)

    @staticmethod
    def decoded(sent) -> dict:
        """A notification with its signed parts decoded."""
        data = dict(sent["data"])
        for part in ("signedTransactionInfo", "signedRenewalInfo"):
            if part in data:
                data[part] = payload(data[part])
        return {**sent, "data": data}

    def problems(self) -> list:
        """Checks that each notification has one body, and that the notifications of a subscription arrived in order."""
        found = [f"{id_} came in {len(bodies)} forms" for id_, bodies in self.bodies.items() if len(bodies) > 1]
        by_subscription = defaultdict(list)
        for number, sent in self.first.values():
            by_subscription[sent["data"]["signedTransactionInfo"]["originalTransactionId"]].append((number, sent))
        for original, group in by_subscription.items():
            dates = [sent["signedDate"] for _, sent in sorted(group, key=lambda pair: pair[0])]
            if dates != sorted(set(dates)):
                words = [sent["notificationType"] for _, sent in group]
                found.append(f"{original}: notifications out of order: {list(zip(dates, words))}")
        return found

    def by_original(self) -> dict:
        by_subscription = defaultdict(list)
        for _, sent in self.first.values():
            by_subscription[sent["data"]["signedTransactionInfo"]["originalTransactionId"]].append(sent)
        return {key: sorted(group, key=lambda sent: sent["signedDate"]) for key, group in by_subscription.items()}


def normalized(value, names):
    """Removes signing dates and replaces ids by names in the order of their first appearance."""
    if isinstance(value, dict):
        return {
            key: names.setdefault(part, f"#{len(names)}") if key in IDS else normalized(part, names)
            for key, part in value.items() if key != "signedDate"
        }
    if isinstance(value, list):
        return [normalized(part, names) for part in value]
    return value


def normalized_state(server, key, subscribers, posts) -> dict:
    """The complete state of each customer."""
    received = ReceivedNotifications(posts)
    problems = received.problems()
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])
    by_subscription = received.by_original()

    def of(one):
        names = {}
        rows = normalized(history(server, key, one.original), names)
        return one.name, {
            "rows": rows,
            "statuses": normalized(statuses(server, key, one.original), names),
            "notifications": normalized(by_subscription.get(one.original, []), names),
        }

    return dict(of(one) for one in subscribers)


class Disturber:
    """Kills a random node every few seconds and restarts it a moment later. Every fifth time, it only pauses the
    node."""

    def __init__(self, nodes, seed, rounds, pause):
        self.nodes, self.chance, self.rounds, self.pause = nodes, random.Random(seed), rounds, pause
        self.kills = []

    def run(self):
        for round_ in range(self.rounds):
            time.sleep(self.chance.uniform(0.3, self.pause))
            place = self.chance.randrange(len(self.nodes.servers))
            if round_ % 5 == 2:
                self.stall(self.nodes.servers[place])
                continue
            self.nodes.kill(place)
            self.kills.append(place)
            time.sleep(self.chance.uniform(0.1, self.pause))
            self.nodes.start(place)

    @staticmethod
    def stall(server):
        """Pauses a node until the others consider it dead. Then resumes it, so that it continues in the middle of its
        work."""
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(LEASE + 1)
        server.process.send_signal(signal.SIGCONT)


class Readers:
    """Clients that read from any available node all the time, and check that no acknowledged data is missing."""

    def __init__(self, nodes, key, subscribers, count=2):
        self.nodes, self.key, self.subscribers = nodes, key, subscribers
        self.stop_ = threading.Event()
        self.answers = 0
        self.problems = []
        self.threads = [threading.Thread(target=self.work, args=(number,), daemon=True) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def work(self, seed):
        chance = random.Random(seed)
        known = {}
        while not self.stop_.is_set():
            one = chance.choice(self.subscribers)
            server = chance.choice(self.nodes.servers)
            try:
                answer = server.apple(self.key, f"/inApps/v2/history/{one.original}", client=requests)
            except requests.RequestException:
                continue  # The node was killed during the request.
            if answer.status_code != 200:
                self.problems.append(f"{answer.status_code} {answer.text[:200]}")
                continue
            rows = {row["transactionId"] for row in map(payload, answer.json()["signedTransactions"])}
            if not known.setdefault(one.name, set()) <= rows and not answer.json()["hasMore"]:
                self.problems.append(f"{one.name} had {known[one.name]}, and has {rows}")
            known[one.name] |= rows
            self.answers += 1

    def end(self):
        self.stop_.set()
        for thread in self.threads:
            thread.join(60)
