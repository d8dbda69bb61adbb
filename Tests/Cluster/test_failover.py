"""A cluster loses its leader in every possible way. Till continues with the next leader, no acknowledged data is lost,
and nothing happens twice."""

import asyncio
import itertools
import json
import os
import signal
import threading
import time

import pytest
import requests

from acknowledged_purchases import BUNDLE, ENVIRONMENT, Books, Connection, Purchase, read_histories
from patroni_cluster import Cluster
from process_helpers import Server, run_till, set_up_app, wait_until

BUYERS, READERS = 12, 4
NODES = "SELECT count(*) FROM nodes"
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'till'"
# Within this time after the new leader's first commit, Till must complete another purchase.
CARRIES_ON_WITHIN = 10.0
# No request may take longer than this, whatever happens to the database.
ANSWERS_WITHIN = 20.0
NEW_LEADER_WITHIN = 90.0


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster()
    yield cluster
    cluster.stop()


class WrongAnswer(Exception):
    """An answer that no client may receive."""


class Load:
    """Clients that buy and read continuously. They run in their own thread."""

    def __init__(self, server, key):
        self.server, self.key = server, key
        self.asked = []
        # Each answer is stored as (when sent, when answered, status), separately for the control API and for Apple's
        # API.
        self.sales, self.reads = [], []
        self.troubles = []
        self.stopping = False
        self.numbers = itertools.count()
        self.known = {}
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all_clients()))
        self.thread.start()

    async def all_clients(self):
        clients = [self.buyer(number) for number in range(BUYERS)] + [self.reader(number) for number in range(READERS)]
        await asyncio.gather(*map(self.guarded, clients))

    async def guarded(self, work):
        try:
            await work
        except Exception as error:
            self.troubles.append(f"{type(error).__name__}: {error}")

    async def buyer(self, number):
        client = Connection(self.server.ports["control"])
        turn = 0
        while not self.stopping:
            turn += 1
            # Some clients share a customer, some have their own customer, and some sometimes create a new customer.
            name = "shared" if number < 4 else f"steady {number}" if number < 9 else f"fresh {number}/{turn // 5}"
            purchase = Purchase(next(self.numbers), name, "coins", turn % 10 + 1)
            self.asked.append(purchase)
            status, body = await purchase.buy(client)
            self.sales.append((purchase.sent, purchase.acknowledged, status))
            if status == 201:
                self.known[name] = purchase.answer["transactionId"]
            elif status == 503 and json.loads(body)["code"] == "busy" and b"\r\nretry-after: 1\r\n" in client.head:
                await asyncio.sleep(0.1)
            else:
                raise WrongAnswer(f"a purchase was answered {status}: {body[:300]!r}")
        client.close()

    async def reader(self, number):
        client = Connection(self.server.ports[ENVIRONMENT])
        while not self.stopping:
            if not self.known:
                await asyncio.sleep(0.05)
                continue
            name, transaction = list(self.known.items())[number % len(self.known)]
            route = "v2/history" if number % 2 else "v1/transactions"
            sent = time.monotonic()
            status, body = await client.request(
                "GET", f"/inApps/{route}/{transaction}", headers=f"Authorization: Bearer {self.key.token()}\r\n"
            )
            self.reads.append((sent, time.monotonic(), status))
            if status == 500 and json.loads(body)["errorCode"] == 5000001 and b"\r\nretry-after: 1\r\n" in client.head:
                await asyncio.sleep(0.1)
            elif status != 200:
                raise WrongAnswer(f"{route} of {name} was answered {status}: {body[:300]!r}")
        client.close()

    def check(self):
        assert not self.troubles, "\n".join(self.troubles[:5])

    def stop(self):
        self.stopping = True
        self.thread.join(ANSWERS_WITHIN + 15)
        assert not self.thread.is_alive(), "a client still waits for its answer"

    def first_success(self, after, seconds) -> float:
        """The time at which the first purchase after a moment was acknowledged."""
        def sold():
            self.check()
            return [answered for sent, answered, status in self.sales[-400:] if status == 201 and sent >= after]

        wait_until(sold, seconds)
        return min(answered for sent, answered, status in self.sales if status == 201 and sent >= after)


# Ways to lose the leader ----------------------------------------------------------------------------------------------


def killed(leader):
    """Kills PostgreSQL and its Patroni with kill -9."""
    leader.signal(signal.SIGKILL)
    return leader.start


def paused(leader):
    """Pauses the whole machine, whose connections stay open. Later, the watchdog resets the machine."""
    leader.signal(signal.SIGSTOP)
    return lambda: reset(leader)


def reset(member):
    """Resets a member, as the watchdog would. Without it, a paused Patroni 3.0.2 became leader again when it was
    resumed."""
    member.signal(signal.SIGKILL)
    member.start()


def resumed(leader):
    """Pauses PostgreSQL and kills its Patroni. When another member is the leader, PostgreSQL is resumed and acts as the
    leader for a while."""
    leader.signal(signal.SIGSTOP, patroni=False)
    leader.signal(signal.SIGKILL, postgres=False)

    def resume():
        leader.signal(signal.SIGCONT, patroni=False)
        time.sleep(8)
        leader.signal(signal.SIGKILL, patroni=False)
        leader.start()

    return resume


def postgres_paused(leader):
    """Pauses only PostgreSQL. Its Patroni waits for it, as Till does, until the watchdog resets both."""
    leader.signal(signal.SIGSTOP, patroni=False)
    return lambda: reset(leader)


def switched(leader):
    """Starts a planned switchover: PostgreSQL shuts down and returns as a standby."""
    requests.post(f"http://127.0.0.1:{leader.patroni_port}/switchover", json={"leader": leader.name}, timeout=60)
    return lambda: None


# Each round loses the present leader. The previous leader has joined the cluster again by then.
ROUNDS = [killed, killed, paused, killed, resumed, postgres_paused, switched]


def test_nothing_acknowledged_is_lost_when_the_leader_goes(cluster, tmp_path):
    rounds = ROUNDS * int(os.environ.get("TILL_CLUSTER_REPEATS") or 1)
    server = Server(tmp_path / "data", tmp_path, "--database", cluster.url)
    try:
        key = set_up_app(server, BUNDLE)
        load = Load(server, key)
        try:
            table = [a_round(cluster, server, load, way) for way in rounds]
            time.sleep(2)
            load.check()
        finally:
            load.stop()
        judge(server, key, load, cluster, table)
        assert server.process.poll() is None and server.stop() == 0, server.stderr()[-3000:]
        assert "hunter2" not in server.stderr() + server.stdout()
    finally:
        server.kill()


def a_round(cluster, server, load, way):
    """Loses one leader, and returns the row for the printed table."""
    cluster.wait_until_safe(120)
    time.sleep(2)
    load.check()
    old = cluster.leader
    sales, reads = len(load.sales), len(load.reads)
    gone = time.monotonic()
    bring_back = way(old)
    new = cluster.wait_for_leader(NEW_LEADER_WITHIN, other_than=old)
    led = time.monotonic()
    cluster.wait_for_commit(90)
    # No server can complete a purchase before a standby follows the new leader.
    able = time.monotonic()
    sold = load.first_success(led, 60)
    settled = time.monotonic()
    bring_back()
    time.sleep(1)
    late = [status for sent, _, status in load.sales[sales:] + load.reads[reads:] if sent > settled and status >= 500]
    assert not late, f"{way.__name__}: {len(late)} errors when the old leader came back"
    cluster.wait_until_safe(120)
    load.check()
    # Till has registered its node with the new leader, and none of its connections to the old leader is left.
    assert cluster.sql(NODES, database="till") == "1" and int(cluster.sql(CONNECTIONS)) <= 10
    assert server.process.poll() is None, f"Till ended:\n{server.stderr()[-3000:]}"
    needed = max(0.0, sold - able)
    assert needed < CARRIES_ON_WITHIN, f"{way.__name__}: Till needed {needed:.1f} s after the new leader could commit"
    return {
        "way": way.__name__, "from": old.name, "to": new.name,
        "leader": led - gone, "commits": able - gone, "till": sold - gone,
        "503": sum(status == 503 for _, _, status in load.sales[sales:]),
        "500": sum(status == 500 for _, _, status in load.reads[reads:]),
        "sold": sum(status == 201 for _, _, status in load.sales[sales:]),
        "longest": max(answered - sent for sent, answered, _ in load.sales[sales:] + load.reads[reads:]),
    }


def judge(server, key, load, cluster, table):
    """Checks that every acknowledged purchase is stored exactly once, and that the doctor finds no problem."""
    books = Books()
    books.enter(load.asked)
    books.locate(server, set(books.by_customer))
    asked = {name: (any_id, "", None) for name, any_id in books.app_transactions.items()}
    found = asyncio.run(read_histories(server, key, asked))
    problems = []
    for name, purchases in books.by_customer.items():
        rows = found.get(name, ([], None))[0]
        problems += books.compare(name, rows, purchases) + books.check_identifiers(server, name, rows)
    problems += books.repeated_identifiers()
    acknowledged = sum(1 for purchase in load.asked if purchase.answer)
    lost = sum("LOST" in problem for problem in problems)
    unsure = sum(len(rows) for rows, _ in found.values()) - (acknowledged - lost)

    print("\n\nseconds after the leader went until another leads, until it commits, and until Till has sold something")
    print("way              leader    leads  commits     Till   503s   500s   sold   longest answer")
    for line in table:
        print(
            f"{line['way']:<16} {line['from']} to {line['to']} {line['leader']:>8.1f} {line['commits']:>8.1f}"
            f" {line['till']:>8.1f} {line['503']:>6} {line['500']:>6} {line['sold']:>6} {line['longest']:>14.1f} s"
        )
    print(f"acknowledged {acknowledged}, lost {lost}; answered with an error and done all the same: {unsure}")
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])
    assert acknowledged > 100 * len(table), "too few purchases for a valid result"
    longest = max(line["longest"] for line in table)
    assert longest < ANSWERS_WITHIN, f"a client waited {longest:.1f} s for an answer"
    doctor = run_till("doctor", "--data", server.data, "--database", cluster.url, code=0)
    assert "No problems" in doctor.stdout
