"""Data that `till serve` has acknowledged survives kill -9 at any moment, and exists exactly once."""

import asyncio
import os
import random
import signal
import socket
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from acknowledged_purchases import BUNDLE, SCOPE, Books, Connection, Purchase, read_histories
from process_helpers import assert_healthy, doctor, payload, set_up_app, wait_until

CLIENTS = 64
ROUNDS = 30 if os.environ.get("TILL_SOAK") else 5
PURCHASES = 2_000
# Every run has a new seed. Set TILL_CRASH_SEED to repeat a run.
SEED = int(os.environ.get("TILL_CRASH_SEED") or random.SystemRandom().randrange(1 << 32))


class Shoppers:
    """Sixty-four clients. Some share one customer, some have their own customer, and some create new customers all the
    time."""

    SHARING = 16
    STEADY = 24

    def __init__(self, numbers, round_):
        self.numbers = numbers
        self.round = round_
        self.asked = []
        self.acknowledged = 0
        self.refused = []
        self.reached = asyncio.Event()

    def plan(self, client):
        """The endless sequence of purchases of one client."""
        if client < self.SHARING:
            while True:
                yield Purchase(next(self.numbers), "shared", "coins", client % 10 + 1)
        if client < self.SHARING + self.STEADY:
            for turn in count():
                product, quantity = ("coins", turn % 10 + 1) if turn % 3 else ("season", 1)
                yield Purchase(next(self.numbers), f"steady {client}", product, quantity)
        for turn in count():
            name = f"fresh {self.round}/{client}/{turn}"
            for product in ("forever", "basic", "better", "other", "coins"):
                yield Purchase(next(self.numbers), name, product)

    async def shop(self, client, port, threshold):
        connection = Connection(port)
        latest = {}
        try:
            for purchase in self.plan(client):
                if len(self.asked) >= PURCHASES:
                    return
                self.asked.append(purchase)
                status, body = await purchase.buy(connection)
                if status != 201:
                    self.refused.append((purchase, status, body))
                    return
                # An upgrade marks the transaction that it replaces, so this value may change.
                if purchase.product.endswith(".better"):
                    latest[purchase.customer].is_replaced = True
                elif purchase.product.endswith(".basic"):
                    latest[purchase.customer] = purchase
                self.acknowledged += 1
                if self.acknowledged >= threshold:
                    self.reached.set()
        except (OSError, EOFError):
            return
        finally:
            connection.close()


async def shop_until_killed(server, shoppers, threshold, delay):
    """Runs all clients, and kills the server a moment after it has acknowledged `threshold` purchases."""
    begun = time.monotonic()
    clients = [asyncio.ensure_future(shoppers.shop(c, server.ports["control"], threshold)) for c in range(CLIENTS)]
    all_clients = asyncio.gather(*clients)
    reached = asyncio.ensure_future(shoppers.reached.wait())
    await asyncio.wait({all_clients, reached}, return_when=asyncio.FIRST_COMPLETED, timeout=60)
    reached.cancel()
    await asyncio.sleep(delay)
    seconds = time.monotonic() - begun
    acknowledged = shoppers.acknowledged
    os.kill(server.pid, signal.SIGKILL)
    await asyncio.wait_for(all_clients, 20)
    server.kill()
    return acknowledged / seconds


def test_nothing_acknowledged_is_lost_by_kill_9(serve, tmp_path):
    print(f"\nTILL_CRASH_SEED={SEED}")
    chance = random.Random(SEED)
    data = tmp_path / "data"
    server = serve(data=data)
    key = set_up_app(server, BUNDLE)
    books, numbers, rates = Books(), count(), []

    for round_ in range(1, ROUNDS + 1):
        shoppers = Shoppers(numbers, round_)
        threshold = chance.randrange(PURCHASES // 4, PURCHASES * 3 // 4)
        delay = chance.random() * 0.02
        rate = asyncio.run(shop_until_killed(server, shoppers, threshold, delay))
        rates.append(rate)
        begun = time.monotonic()
        assert not shoppers.refused, f"refused: {shoppers.refused[0][1:]}"
        in_flight = [p for p in shoppers.asked if not p.answer]
        assert threshold <= shoppers.acknowledged < PURCHASES and 0 < len(in_flight) <= CLIENTS, (
            f"the kill came too early or late: {shoppers.acknowledged} acknowledged, {len(in_flight)} in flight"
        )
        books.enter(shoppers.asked)
        assert_healthy(data, f"after kill {round_}, before the restart")

        server = serve(data=data)
        customers = {purchase.customer for purchase in shoppers.asked}
        books.locate(server, customers)
        # For a known customer, the history is read from the stored revision. It must contain exactly the new
        # transactions.
        asked = {
            customer: (books.app_transactions[customer], "", books.revisions.get(customer))
            for customer in customers if customer in books.app_transactions
        }
        found = asyncio.run(read_histories(server, key, asked))
        problems, rows_found = [], 0
        of_round = set(shoppers.asked)
        for customer, (rows, revision) in found.items():
            expected = [p for p in books.by_customer[customer] if p in of_round]
            problems += books.compare(customer, rows, expected)
            problems += books.check_identifiers(server, customer, rows)
            repeated = [
                row["transactionId"] for row in rows
                if books.by_price.get(row["price"] // row["quantity"]) not in of_round
            ]
            if repeated:
                problems.append(f"{customer}: the revision of round {round_ - 1} returned {repeated} again")
            books.revisions[customer] = revision
            rows_found += len(rows)
        surplus = rows_found - shoppers.acknowledged
        print(
            f"round {round_}: killed at {shoppers.acknowledged} of {PURCHASES} ({rate:.0f} purchases/s), "
            f"{len(in_flight)} in flight, {surplus} of them in the ledger; restart {server.start_seconds:.2f} s, "
            f"check {time.monotonic() - begun:.1f} s"
        )
        assert not problems, "\n".join(problems[:20])
        assert 0 <= surplus <= len(in_flight)

    # All histories are read again from the first page, in each order.
    begun = time.monotonic()
    up = asyncio.run(read_histories(server, key, {c: (i, "", None) for c, i in books.app_transactions.items()}))
    problems = []
    for customer, (rows, _) in up.items():
        problems += books.compare(customer, rows, books.by_customer[customer])
    long_ones = {c: i for c, i in books.app_transactions.items() if len(up[c][0]) > 5}
    asked = {c: (i, "sort=DESCENDING", None) for c, i in long_ones.items()}
    down = asyncio.run(read_histories(server, key, asked))
    for customer, (rows, _) in down.items():
        ascending = [row["transactionId"] for row in up[customer][0]]
        if [row["transactionId"] for row in reversed(rows)] != ascending:
            problems.append(f"{customer}: DESCENDING is not ASCENDING backwards")
    asked = {c: (books.app_transactions[c], "", books.revisions[c]) for c in long_ones}
    for customer, (rows, _) in asyncio.run(read_histories(server, key, asked)).items():
        if rows:
            problems.append(f"{customer}: a stored revision returns {len(rows)} rows although nothing changed")
    problems += books.repeated_identifiers()
    problems += orders_look_up(server, key, books, chance)
    total = sum(len(rows) for rows, _ in up.values())
    print(
        f"{total} transactions of {len(up)} customers read again in {time.monotonic() - begun:.1f} s; "
        f"purchases/s by round: {', '.join(f'{rate:.0f}' for rate in rates)}"
    )
    assert not problems, "\n".join(problems[:20])
    assert_healthy(data, "beside the running server")
    assert server.stop() == 0
    assert_healthy(data, "after a clean stop")


def orders_look_up(server, key, books, chance):
    """Look Up Order ID must find exactly the transaction of each order."""
    problems = []
    for transaction in chance.sample(sorted(books.orders), 40):
        answer = server.apple(key, f"/inApps/v1/lookup/{books.orders[transaction]}").json()
        found = [payload(jws)["transactionId"] for jws in answer.get("signedTransactions", [])]
        if answer["status"] != 0 or found != [transaction]:
            problems.append(f"order {books.orders[transaction]} of {transaction} holds {answer['status']} {found}")
    return problems


def test_one_customer_used_by_all_clients_at_once(serve, tmp_path):
    """Sixty-four clients buy for one customer. Nothing is lost, order and ids are right, and no product is owned
    twice."""
    data = tmp_path / "data"
    server = serve(data=data)
    key = set_up_app(server, BUNDLE)
    wanted = 640
    asked, outcomes = [], Counter()

    async def hammer(client):
        connection = Connection(server.ports["control"])
        for turn in range(wanted // CLIENTS):
            # A customer can buy these products only once.
            product = {0: "forever", 1: "basic"}.get(turn, "coins")
            purchase = Purchase(len(asked), "one", product)
            asked.append(purchase)
            outcomes[product, (await purchase.buy(connection))[0]] += 1
        connection.close()

    async def all_clients():
        await asyncio.gather(*(hammer(client) for client in range(CLIENTS)))

    begun = time.monotonic()
    asyncio.run(all_clients())
    print(f"\none customer: {len(asked) / (time.monotonic() - begun):.0f} purchases/s by {CLIENTS} clients")
    assert outcomes == {
        ("coins", 201): wanted - 2 * CLIENTS,
        ("forever", 201): 1, ("forever", 200): CLIENTS - 1,
        ("basic", 201): 1, ("basic", 409): CLIENTS - 1,
    }

    books = Books()
    books.enter(asked)
    found = asyncio.run(read_histories(server, key, {"one": (books.app_transactions["one"], "", None)}))
    rows = found["one"][0]
    problems = books.compare("one", rows, asked) + books.check_identifiers(server, "one", rows)
    assert not problems + books.repeated_identifiers()
    assert len(rows) == wanted - 2 * CLIENTS + 2
    assert server.control("GET", f"{SCOPE}/customers/one")["transactions"] == len(rows)
    assert_healthy(data, "after the hammering")


def test_a_second_process_is_rejected_until_the_first_has_ended(serve, tmp_path):
    data = tmp_path / "data"
    first = serve(data=data)
    set_up_app(first, BUNDLE)
    ports = (data / "ports.json").read_text()

    second = serve(data=data, wait=False)
    assert second.process.wait(20) == 1
    assert all(word in second.stderr() for word in ("Another Till", str(first.pid), str(data), "--data")), second.stderr()
    assert second.stdout() == "" and not second.ready_file.exists()
    assert (data / "ports.json").read_text() == ports, "the refused process changed the directory"
    first.control("GET", "/readyz")
    first.control("POST", f"{SCOPE}/customers", {"customer": "ann"})

    first.kill()
    third = serve(data=data)
    assert third.control("GET", f"{SCOPE}/customers/ann")["customer"] == "ann"
    assert third.stop() == 0
    fourth = serve(data=data)
    assert fourth.control("GET", f"{SCOPE}/customers/ann")["customer"] == "ann"


def test_concurrent_first_starts_leave_one_server_with_a_complete_shop(serve, tmp_path):
    """Six processes start on a directory that does not exist. One of them serves, and its acknowledged data
    survives."""
    for attempt in range(3):
        data = tmp_path / f"data{attempt}"
        racers = [serve(data=data, wait=False) for _ in range(6)]

        def alive():
            return [racer for racer in racers if racer.process.poll() is None]

        wait_until(lambda: not alive() or len(alive()) == 1 and alive()[0].ready_file.exists(), 30)
        assert len(alive()) == 1, "not exactly one serves: " + " | ".join(sorted({racer.stderr() for racer in racers}))
        winner = alive()[0].wait_until_ready()
        for racer in racers:
            assert racer is winner or "Another Till" in racer.stderr(), racer.stderr()
        acknowledge(winner)
        assert_keeps_what_it_acknowledged(serve, winner)
        assert_healthy(data, f"after race {attempt}")


def test_a_rejected_start_does_not_change_the_shop(serve, tmp_path):
    """One of two first starts is paused after its first write. Meanwhile, the other process starts and sells."""
    hits = 0
    for attempt in range(24):
        data = tmp_path / f"data{attempt}"
        held = serve(data=data, wait=False)
        while not (data.is_dir() and any(path.is_file() for path in data.iterdir())):
            assert held.process.poll() is None, held.stderr()
        held.process.send_signal(signal.SIGSTOP)
        time.sleep(0.01)
        # Only a process that has not created the database yet could damage the database of the other process.
        if (data / "till.sqlite").exists():
            held.kill()
            continue
        hits += 1
        other = serve(data=data, wait=False)
        wait_until(lambda: other.ready_file.exists() or other.process.poll() is not None)
        first, second = (other, held) if other.process.poll() is None else (held, other)
        if first is held:
            held.process.send_signal(signal.SIGCONT)
        first.wait_until_ready()
        acknowledge(first)
        held.process.send_signal(signal.SIGCONT)
        assert second.process.wait(20) not in (0, None)
        assert "Another Till" in second.stderr(), second.stderr()
        assert_keeps_what_it_acknowledged(serve, first)
        assert_healthy(data, f"after attempt {attempt}")
        if hits == 3:
            return
    assert hits, "no process was paused before it created its database"


def acknowledge(server):
    set_up_app(server, BUNDLE)
    server.control("POST", f"{SCOPE}/customers", {"customer": "ann"})


def assert_keeps_what_it_acknowledged(serve, server):
    server.kill()
    again = serve(data=server.data)
    apps = [app["bundleId"] for app in again.control("GET", "/v1/apps")]
    assert apps == [BUNDLE], f"LOST: the server acknowledged the app {BUNDLE}; after the restart there are {apps}"
    assert again.control("GET", f"{SCOPE}/customers/ann")["customer"] == "ann"
    again.kill()


def unread(port) -> int:
    """The number of bytes that clients have sent to a port and that the server has not read yet."""
    waiting = 0
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if int(words[1].rsplit(":", 1)[1], 16) == port and words[3] == "01":
            waiting += int(words[4].split(":")[1], 16)
    return waiting


def test_sigterm_answers_requests_in_flight(serve, tmp_path):
    """Requests that have arrived are answered, idle connections do not delay the shutdown, and all data is stored."""
    data = tmp_path / "data"
    server = serve(data=data)
    key = set_up_app(server, BUNDLE)
    clients = 256
    purchases = [Purchase(number, "one", "coins") for number in range(clients)]
    answered = []
    signalled = None
    idle = [socket.create_connection(("127.0.0.1", port)) for port in server.ports.values() for _ in range(3)]

    async def buy(purchase, connection):
        answered.append((await purchase.buy(connection))[0])
        connection.close()

    async def all_clients():
        nonlocal signalled
        connections = [Connection(server.ports["control"]) for _ in purchases]
        for connection in connections:
            # Each connection has sent a first request, so no connection waits to be accepted when the signal arrives.
            assert (await connection.request("GET", "/healthz"))[0] == 200
        tasks = [asyncio.ensure_future(buy(*pair)) for pair in zip(purchases, connections)]
        # When everything is written and the kernel's receive buffers are empty, the server has read everything.
        while not all(purchase.sent for purchase in purchases) or unread(server.ports["control"]):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
        signalled = len(answered)
        server.process.send_signal(signal.SIGTERM)
        return await asyncio.gather(*tasks, return_exceptions=True)

    outcomes = asyncio.run(all_clients())
    begun = time.monotonic()
    code = server.process.wait(10)
    print(f"\nSIGTERM with {clients - signalled} of {clients} in flight; gone {time.monotonic() - begun:.2f} s later")
    assert signalled < clients, "everything was answered before the signal: nothing was in flight"
    failures = [outcome for outcome in outcomes if outcome is not None]
    assert not failures, f"{len(failures)} of {clients - signalled} in flight were not answered: {failures[0]!r}"
    assert Counter(answered) == {201: clients}
    assert code == 0, server.stderr()
    for connection in idle:
        connection.settimeout(5)
        assert connection.recv(1) == b"", "an idle connection was not closed"
        connection.close()
    for port in server.ports.values():
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=2)

    assert_healthy(data, "after SIGTERM")
    again = serve(data=data)
    books = Books()
    books.enter(purchases)
    rows = asyncio.run(read_histories(again, key, {"one": (books.app_transactions["one"], "", None)}))["one"][0]
    assert not books.compare("one", rows, purchases) and len(rows) == clients


def test_sigterm_right_after_the_start_stops(serve, tmp_path):
    """SIGTERM at any moment of the start ends the process soon, and the directory can be used again."""
    whole = serve(data=tmp_path / "measure")
    seconds = whole.start_seconds
    assert whole.stop() == 0
    data = tmp_path / "data"
    for part in (0.3, 0.6, 0.9, 1.0, 1.1):
        server = serve(data=data, wait=False)
        time.sleep(seconds * part)
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(10)
    again = serve(data=data)
    set_up_app(again, BUNDLE)
    assert again.stop() == 0
    assert_healthy(data, "after five interrupted starts")


def test_a_directory_starts_after_a_crash_during_the_first_start(serve, tmp_path):
    print(f"\nTILL_CRASH_SEED={SEED}")
    chance = random.Random(SEED + 1)
    seconds = []
    for number in range(2):
        whole = serve(data=tmp_path / f"measure{number}")
        seconds.append(whole.start_seconds)
        whole.kill()
    span = min(seconds)

    stages, open_files, ailing = [], [], []
    for number in range(10):
        data = tmp_path / f"data{number}"
        server = serve(data=data, wait=False)
        # The server is killed once in each tenth of the start, so that every stage is covered.
        moment = span * (number + chance.random()) / 10
        time.sleep(max(0, server.started + moment - time.monotonic()))
        server.kill()
        left = [path for path in data.rglob("*") if path.is_file()]
        names = f"{len(left)} files" if data.exists() else "no directory"
        stages.append((round(moment * 1000), server.ready_file.exists(), names))
        open_files += [
            f"{path.relative_to(tmp_path)} ({oct(path.stat().st_mode & 0o777)})"
            for path in left if path.stat().st_mode & 0o777 != 0o600
        ]

        again = serve(data=data)
        key = set_up_app(again, BUNDLE)
        bought = again.control("POST", f"{SCOPE}/customers/ann/purchases", {"productId": f"{BUNDLE}.coins"})
        assert again.stop() == 0
        outcome = doctor(data)
        if outcome.returncode:
            ailing.append(f"after {moment * 1000:.0f} ms: {outcome.stdout}{outcome.stderr}")
        third = serve(data=data)
        assert third.apple(key, f"/inApps/v1/transactions/{bought['transactionId']}").status_code == 200
        third.kill()
    for moment, was_ready, names in stages:
        print(f"killed at {moment} ms, {'ready' if was_ready else 'not ready'}: {names}")
    assert not open_files, f"files readable by others, keys among them: {open_files}"
    assert not ailing, "\n".join(ailing)
    assert sum(not was_ready for _, was_ready, _ in stages) >= 5, "too few kills hit the start"


def test_a_directory_starts_after_repeated_crashes(serve, tmp_path):
    """The server is killed eight times in a row on the same directory."""
    chance = random.Random(SEED + 2)
    whole = serve(data=tmp_path / "measure")
    span = whole.start_seconds
    whole.kill()
    data = tmp_path / "data"
    for _ in range(8):
        server = serve(data=data, wait=False)
        time.sleep(span * chance.random())
        server.kill()
    again = serve(data=data)
    set_up_app(again, BUNDLE)
    assert again.stop() == 0
    assert_healthy(data, "after eight crashed starts")
