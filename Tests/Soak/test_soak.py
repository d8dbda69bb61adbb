"""Ten minutes of mixed load on each engine. Memory stays flat, no connection is leaked, Till recovers from outages of
the database, and no acknowledged data is lost. TILL_SOAK_SECONDS sets another duration."""

import asyncio
import contextlib
import itertools
import os
import signal
import sqlite3
import threading
import time
from collections import Counter

import pytest

from acknowledged_purchases import read_histories
from listening_post import ListeningPost
from mixed_load import BUNDLE, SCOPE, MixedLoad
from postgres_server import PostgresServer
from process_helpers import Server, run_till, set_up_app
from steadiness import MEGABYTE, allowed, growth, is_flat, open_things, sample

SECONDS = float(os.environ.get("TILL_SOAK_SECONDS") or 600)
WARM_UP = min(60.0, max(20.0, SECONDS / 10))
EVERY = 3.0 if SECONDS >= 300 else 1.0
DOWN = 4.0
# Each renewal needs 2 kB, including its notification.
FILLERS, FILLING_QUARTERS = 100, 30
# Errors must stop within this number of seconds after the database is available again.
WELL_WITHIN = 10.0


class Sampler:
    """Samples the resources of the process repeatedly."""

    def __init__(self, pid):
        self.pid = pid
        self.samples = []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.stopping.wait(EVERY):
            self.samples.append({"at": time.monotonic(), **sample(self.pid)})

    def end(self):
        self.stopping.set()
        self.thread.join()


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_soak(engine, tmp_path):
    database = PostgresServer() if engine == "postgres" else None
    arguments = ["--database", database.url] if database else []
    server = Server(tmp_path / "data", tmp_path, *arguments)
    post = ListeningPost()
    try:
        key = set_up_app(server, BUNDLE)
        load = MixedLoad(server, key)
        load.set_up(post)
        fill(server, post)
        load.begin()
        time.sleep(WARM_UP)
        load.end()
        assert load.errors(0, time.monotonic()) == 0, "errors before the first database outage"
        before = quiet(server, database)

        sampler = Sampler(server.pid)
        begun, counted = time.monotonic(), len(load.log)
        load.begin()
        troubles = []
        if database:
            for share, stop, name in ((0.40, signal.SIGINT, "stopped"), (0.55, signal.SIGQUIT, "killed")):
                rest(begun + SECONDS * share, post)
                troubles.append(trouble(database, load, stop, name))
        rest(begun + SECONDS, post)
        seconds = time.monotonic() - begun
        load.end()
        sampler.end()
        after = quiet(server, database, before)

        report(engine, load.log[counted:], sampler.samples, seconds, before, after, troubles)
        judge_memory(sampler.samples)
        judge_connections(before, after, open_things(server.pid))
        judge_threads(sampler.samples)
        judge_errors(load, troubles, begun)
        judge_deliveries(server)
        judge_ledger(server, key, load, database)
        assert server.stop() == 0, server.stderr()[-3000:]
    finally:
        server.kill()
        post.close()
        if database:
            database.stop()


def fill(server, post):
    """Fills the caches that have a limit, so that they do not count as growth. SQLite caches 16 MB of the database, so
    the database needs years of renewals."""
    server.control("POST", f"{SCOPE}/clocks", {"name": "years", "mode": "frozen"})
    for number in range(FILLERS):
        customer = f"{SCOPE}/customers/filler-{number}"
        server.control("POST", f"{SCOPE}/customers", {"customer": f"filler-{number}"})
        server.control("PATCH", customer, {"clock": "years"})
        server.control("POST", f"{customer}/purchases", {"productId": f"{BUNDLE}.basic", "offer": {"kind": "NONE"}})
    for _ in range(FILLING_QUARTERS):
        server.control("POST", f"{SCOPE}/clock/advance", {"clock": "years", "by": "P3M"})
        post.received.clear()
    file = server.data / "till.sqlite"
    if file.exists():
        with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            pages, page = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        assert pages * page > 16 * MEGABYTE, f"{pages * page / MEGABYTE:.1f} MB do not fill the cache"


def rest(until, post):
    """Waits, and discards the posts that the receiver stores, because the receiver's memory is not under test."""
    while (left := until - time.monotonic()) > 0:
        post.received.clear()
        time.sleep(min(left, 1.0))


def connections(database) -> int:
    """The number of Till's connections, according to the database."""
    if not database:
        return 0
    return int(database.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'till'"))


def quiet(server, database, wanted=None) -> dict:
    """Waits until an idle Till has no pending deliveries and no more resources than `wanted`, and returns its
    resources."""
    limit = time.monotonic() + 45
    calm = None
    while True:
        time.sleep(1)
        held = {**sample(server.pid), "database": connections(database)}
        counts = {name: held[name] for name in CONNECTIONS}
        if wanted:
            is_quiet = all(held[name] <= wanted[name] for name in CONNECTIONS)
        else:
            is_quiet = counts == calm and time.monotonic() > limit - 35
        if is_quiet or time.monotonic() > limit:
            return held
        calm = counts


CONNECTIONS = ("descriptors", "sockets", "database")
COUNTS = (*CONNECTIONS, "threads")


def trouble(database, load, number, name) -> dict:
    """Stops the database for a while."""
    gone = time.monotonic()
    database.process.send_signal(number)
    database.process.wait(60)
    time.sleep(DOWN)
    database.start()
    back = time.monotonic()
    time.sleep(WELL_WITHIN)
    bad = [at for at, _, is_good in load.log if at >= back and not is_good]
    return {"name": name, "gone": gone, "back": back, "well": max(bad, default=back) - back}


# Checks ---------------------------------------------------------------------------------------------------------------


def report(engine, log, samples, seconds, before, after, troubles):
    done = Counter(name for _, name, _ in log)
    print(f"\n\n{engine}: {len(log)} calls in {seconds:.0f} s, {len(log) / seconds:.0f} a second")
    print("  " + ", ".join(f"{name} {count}" for name, count in sorted(done.items())))
    print("                second third     last third         growth        allowed")
    for name in ("rss", "anonymous"):
        second, last = growth([one[name] for one in samples])
        figures = (second, last, last - second, allowed(second))
        print(f"  {name:<12}" + "".join(f"{value / MEGABYTE:>12.1f} MB" for value in figures))
    for name in COUNTS:
        highest = max((one[name] for one in samples if name in one), default=0)
        print(f"  {name:<12} {before[name]:>6} after warm-up, {after[name]:>6} in the end, {highest:>6} under load")
    for one in troubles:
        errors = sum(1 for at, _, good in log if one["gone"] <= at < one["back"] + WELL_WITHIN and not good)
        print(
            f"  the database was {one['name']}: {one['back'] - one['gone']:.1f} s away, {errors} errors, "
            f"the last one {one['well']:.1f} s after it was back"
        )


def judge_memory(samples):
    for name in ("rss", "anonymous"):
        values = [one[name] for one in samples]
        second, last = growth(values)
        assert is_flat(values), (
            f"{name} grew from {second / MEGABYTE:.1f} to {last / MEGABYTE:.1f} MB, "
            f"at most {allowed(second) / MEGABYTE:.1f} MB more are allowed; "
            f"samples: {[round(v / MEGABYTE) for v in values]}"
        )


def judge_connections(before, after, things):
    grown = {name: (before[name], after[name]) for name in CONNECTIONS if after[name] > before[name]}
    assert not grown, f"more is open than after the warm-up: {grown}; open now: {dict(things)}"


def judge_threads(samples):
    """Compares the number of threads under load, because the system's thread pools grow and shrink with the load."""
    second, last = growth([one["threads"] for one in samples])
    assert last <= second + 4, f"the number of threads grew from {second} to {last}"


def judge_errors(load, troubles, begun):
    allowed_times = [(one["gone"], one["back"] + one["well"]) for one in troubles]
    bad = [
        (at - begun, name) for at, name, is_good in load.log
        if not is_good and not any(gone <= at <= well + 0.001 for gone, well in allowed_times)
    ]
    assert not bad, f"{len(bad)} errors while the store was available: {bad[:10]}"
    for one in troubles:
        assert one["well"] < WELL_WITHIN - 1, f"errors went on for {one['well']:.1f} s after the database was back"


def judge_deliveries(server):
    """Checks that every notification was delivered, including those that fell due while the database was
    unavailable."""
    newest = list(itertools.islice(server.all_pages(f"{SCOPE}/notifications", "notifications"), 2_000))
    owed = [entry["notificationUUID"] for entry in newest for one in entry["deliveries"] if "nextAttemptDate" in one]
    count = len(newest)
    print(f"  the newest {count} notifications: {count - len(owed)} delivered, {len(owed)} owed")
    assert count > 10 and not owed, f"{len(owed)} of {count} were not delivered: {owed[:5]}"


def judge_ledger(server, key, load, database):
    """Checks that every purchase is in its customer's history exactly once."""
    asked = {customer: (sold[0], "", None) for customer, sold in load.sold.items()}
    found = asyncio.run(read_histories(server, key, asked))
    problems, sold, unsure = [], 0, 0
    for customer, transactions in load.sold.items():
        rows = Counter(row["transactionId"] for row in found[customer][0])
        sold += len(transactions)
        problems += [f"{customer}: LOST {id_}" for id_ in set(transactions) - set(rows)]
        problems += [f"{customer}: {id_} stands {n} times" for id_, n in rows.items() if n > 1]
        beyond = len(set(rows) - set(transactions))
        unsure += beyond
        if beyond > load.unsure[customer]:
            problems.append(f"{customer}: {beyond} rows without a purchase")
    lost = sum("LOST" in problem for problem in problems)
    print(f"  sold {sold}, lost {lost}; answered with an error and done all the same: {unsure}")
    assert not problems, f"{len(problems)} problems: " + "\n".join(problems[:10])
    store = ["--database", database.url] if database else []
    assert "No problems" in run_till("doctor", "--data", server.data, *store, timeout=300, code=0).stdout
