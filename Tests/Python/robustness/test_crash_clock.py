"""kill -9 while time runs fast: every state change is notified exactly once and in order, and no data is lost."""

import base64
import json
import os
import random
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from listening_post import ListeningPost
from nodes_helpers import BUNDLE, HOUR, SCOPE, Subscriber, advance, freeze, history, run
from process_helpers import assert_healthy, payload, set_up_app

SUBSCRIBERS = 200
ROUNDS = 30 if os.environ.get("TILL_SOAK") else 5
# This is almost three days per second. Twenty renewals fall due, which even a busy machine can process.
SPEED = 250_000
# Every run has a new seed. Set TILL_CRASH_SEED to repeat a run.
SEED = int(os.environ.get("TILL_CRASH_SEED") or random.SystemRandom().randrange(1 << 32))
ACTIVE, EXPIRED, RETRY = 1, 2, 3


def flaky(seed):
    """Answers posts unreliably. Of ten posts, six are accepted, two are rejected, one gets no answer, and one is
    accepted late.

    Half of the connections are closed after the answer without "Connection: close". Till may send the next notification
    on such a connection at that moment. The receiver does not read it, and the attempt ends with NO_RESPONSE (see
    `check_deliveries`).
    """
    chance = random.Random(seed)
    lock = threading.Lock()

    def answer(handler):
        with lock:
            kind, delay, stays = chance.randrange(10), chance.uniform(0.05, 0.3), chance.random() < 0.5
        if kind == 9:
            time.sleep(delay)
        if kind != 8:
            ListeningPost.reply(handler, 500 if kind in (6, 7) else 200)
            # Unless it stays open, the connection is closed without notice.
            handler.close_connection = not stays

    return answer


@pytest.fixture
def post():
    post = ListeningPost(flaky(SEED))
    yield post
    post.close()


def expected(subscriber, rows, status):
    """The expected notifications for the given transactions and the final status of the customer."""
    expected = Counter()
    for row in rows:
        purchase = row["transactionReason"] == "PURCHASE"
        expected["SUBSCRIBED/INITIAL_BUY" if purchase else "DID_RENEW", row["transactionId"]] += 1
    if subscriber.cancels:
        expected["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", subscriber.original] += 1
        expected["EXPIRED/VOLUNTARY", subscriber.original] += status == EXPIRED
    if subscriber.declines:
        expected["DID_FAIL_TO_RENEW", subscriber.original] += status in (RETRY, EXPIRED)
        expected["EXPIRED/BILLING_RETRY", subscriber.original] += status == EXPIRED
    return +expected


@pytest.mark.alone
def test_every_state_change_is_notified_despite_kill_9(serve, post, tmp_path):
    print(f"\nTILL_CRASH_SEED={SEED}")
    chance = random.Random(SEED)
    server = serve(data=tmp_path / "data")
    key = set_up_app(server, BUNDLE)
    server.control("PUT", f"{SCOPE}/endpoints/primary", {"url": post.url})
    start = freeze(server)
    with ThreadPoolExecutor(8) as pool:
        # The start dates are spread, so that renewals fall due all the time.
        subscribers = list(pool.map(lambda n: Subscriber(n, server, start - n * 3 * HOUR), range(SUBSCRIBERS)))

    for round_ in range(ROUNDS):
        run(server, SPEED)
        before = len(post.received)
        time.sleep(chance.uniform(0.3, 4.0))
        server.kill()
        assert_healthy(server.data, f"after kill {round_ + 1}")
        begun = time.monotonic()
        server = serve(data=server.data)
        print(f"kill {round_ + 1}: {len(post.received) - before} posts; "
              f"started again in {time.monotonic() - begun:.1f} s")

    end = freeze(server)
    # Everything that fell due while no server ran has been processed afterwards.
    advance(server, to=end, settle=0)
    post.answer = 200
    settle(server)
    notifications = all_notifications(server)
    print(f"{(end - start) / HOUR / 24:.0f} days, {len(notifications)} notifications, {len(post.received)} posts")

    problems = check_against_the_ledger(server, key, subscribers, notifications)
    problems += check_deliveries(notifications, list(post.received))
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems[:20])
    kinds = Counter(notice(entry) for entry in notifications)
    assert kinds["DID_RENEW"] > SUBSCRIBERS // 10 and kinds["SUBSCRIBED/INITIAL_BUY"] == SUBSCRIBERS, kinds
    assert_healthy(server.data, "beside the running server")
    assert server.stop() == 0
    assert_healthy(server.data, "after a clean stop")


def settle(server):
    """Advances the clock until no delivery is pending. A rejected notification is retried within three days."""
    for _ in range(20):
        report = advance(server, by="PT24H")
        if not any("nextAttemptDate" in delivery for entry in all_notifications(server)
                   for delivery in entry["deliveries"]):
            return
    raise AssertionError(f"deliveries still pending: {report}")


def all_notifications(server) -> list:
    """All notifications, oldest first."""
    return list(server.all_pages(f"{SCOPE}/notifications", "notifications"))[::-1]


def notice(entry) -> str:
    return "/".join(filter(None, (entry["notificationType"], entry.get("subtype"))))


def check_against_the_ledger(server, key, subscribers, notifications):
    """Checks that each state change has exactly one notification about the right transaction, and that there is no
    other notification."""
    by_customer = defaultdict(list)
    for entry in notifications:
        by_customer[entry["customer"]].append(entry)
    problems = [f"unknown customer {name}" for name in set(by_customer) - {one.name for one in subscribers}]
    for one in subscribers:
        rows = history(server, key, one.original)
        (state,) = server.control("GET", f"{SCOPE}/customers/{one.name}")["subscriptions"]
        wanted = expected(one, rows, state["status"])
        found = Counter((notice(entry), entry["transactionId"]) for entry in by_customer[one.name])
        if wanted != found:
            problems.append(f"{one.name}: missing {dict(wanted - found)}, without a cause {dict(found - wanted)}")
        # Each period begins when the previous period ends.
        periods = sorted((row["purchaseDate"], row["expiresDate"]) for row in rows)
        if any(first[1] != second[0] for first, second in zip(periods, periods[1:])):
            problems.append(f"{one.name}: the periods do not follow each other: {periods}")
    return problems


def check_deliveries(notifications, posts):
    """Checks that every notification arrived with one body, and that first attempts of a subscription arrived in order.

    The receiver does not see a first attempt that it did not read. Such an attempt ended without an HTTP status,
    because the connection was closed or not accepted in time. The receiver sees only the retry, which may arrive after
    the first attempt of the next notification. The order of arrival is therefore compared only for notifications whose
    first attempt the receiver answered. The order of all first attempts is checked by the dates that Till recorded.
    """
    problems = []
    bytes_of = defaultdict(set)
    first = {}
    for number, post in enumerate(posts):
        sent = payload(post.jws)
        id_ = sent["notificationUUID"]
        bytes_of[id_].add(post.body)
        first.setdefault(id_, (number, sent))
    made = {entry["notificationUUID"]: entry for entry in notifications}
    problems += [f"{id_}: posted, and not in the list" for id_ in set(first) - set(made)]
    problems += [f"{id_}: {notice(made[id_])} never arrived" for id_ in set(made) - set(first)]
    problems += [f"{id_}: posted in {len(bodies)} forms" for id_, bodies in bytes_of.items() if len(bodies) > 1]
    lines = defaultdict(list)
    for id_, (number, sent) in first.items():
        entry = made.get(id_)
        if not entry:
            continue
        if (sent["notificationType"], sent.get("subtype"), sent["signedDate"]) != (
            entry["notificationType"], entry.get("subtype"), entry["signedDate"],
        ):
            problems.append(f"{id_}: the list has {entry}, the receiver got {sent}")
        lines[entry["originalTransactionId"]].append((number, entry["signedDate"], notice(entry), first_attempt(entry)))
    answered = 0
    for original, line in lines.items():
        arrivals = sorted(post for post in line if "status" in post[3])
        answered += len(arrivals)
        dates = [date for _, date, _, _ in arrivals]
        if dates != sorted(set(dates)):
            problems.append(f"{original}: first attempts out of order: {arrivals}")
        by_date = sorted(line, key=lambda post: post[1])
        attempts = [attempt["attemptDate"] for _, _, _, attempt in by_date]
        if attempts != sorted(attempts) or len({date for _, date, _, _ in line}) < len(line):
            problems.append(f"{original}: first attempts recorded out of order: {by_date}")
    # One in ten attempts gets no answer. If far more had none, too few would be left to compare.
    if answered < len(first) // 2:
        problems.append(f"only {answered} of {len(first)} first attempts were answered")
    return problems


def first_attempt(entry) -> dict:
    (delivery,) = entry["deliveries"]
    return delivery["attempts"][0]


def test_a_first_attempt_that_the_receiver_never_read_is_not_out_of_order():
    def entry(number, *attempts):
        return {
            "notificationUUID": f"n{number}", "notificationType": "DID_RENEW", "signedDate": number,
            "originalTransactionId": "1", "deliveries": [{"attempts": [
                {"attemptDate": date, "sendAttemptResult": result} | ({"status": status} if status else {})
                for date, result, status in attempts
            ]}],
        }

    def post(number):
        body = {"notificationUUID": f"n{number}", "notificationType": "DID_RENEW", "signedDate": number}
        text = base64.urlsafe_b64encode(json.dumps(body).encode()).decode().rstrip("=")
        return SimpleNamespace(jws=f"e30.{text}.x", body=text)

    unread = [(1, "NO_RESPONSE", None), (3_600_001, "SUCCESS", 200)]
    taken = [(2, "SUCCESS", 200)]
    assert check_deliveries([entry(1, *unread), entry(2, *taken)], [post(2), post(1)]) == []
    # The same arrivals are in the wrong order if the receiver answered the first attempt, or if Till sent the first
    # attempt later.
    refused = [(1, "UNSUCCESSFUL_HTTP_RESPONSE_CODE", 500), (3_600_001, "SUCCESS", 200)]
    (problem,) = check_deliveries([entry(1, *refused), entry(2, *taken)], [post(2), post(1)])
    assert "first attempts out of order" in problem
    late = [(3, "NO_RESPONSE", None), (3_600_003, "SUCCESS", 200)]
    (problem,) = check_deliveries([entry(1, *late), entry(2, *taken)], [post(2), post(1)])
    assert "recorded out of order" in problem
