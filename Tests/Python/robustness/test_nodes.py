"""Two servers on one database act as one shop, whichever is killed and whichever is called."""

import contextlib
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from listening_post import ListeningPost
from nodes_helpers import (
    BUNDLE, DAY, SCOPE, START, Disturber, Nodes, Readers, advance, freeze, history, open_shop, normalized_state, run,
)
from postgres_server import PostgresServer
from process_helpers import PORTS, payload, run_till, set_up_app, wait_until

IS_LONG = bool(os.environ.get("TILL_CLUSTER"))
SUBSCRIBERS = 5_000 if IS_LONG else 200
ROUNDS = 30 if IS_LONG else 5
# The speed of the clocks in each run: about six days per second, or three hours per second with many subscribers.
SPEED = 30_000 if IS_LONG else 500_000
SEED = int(os.environ.get("TILL_CRASH_SEED") or random.SystemRandom().randrange(1 << 32))


@pytest.fixture
def database():
    """A PostgreSQL server for each test, because the servers of other tests are still registered in a shared one."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture
def start_nodes(tmp_path):
    started = []

    def start(url, count, *arguments):
        started.append(Nodes(tmp_path / f"nodes-{len(started)}", url, count, *arguments))
        return started[-1]

    yield start
    for nodes in started:
        nodes.close()


def run_shop(nodes, post, count, disturb):
    """Runs a shop on fast clocks while `disturb` runs. Returns its key, its subscribers and the final date."""
    first = nodes.servers[0]
    key, subscribers = open_shop(first, post, count)
    run(first, SPEED)
    readers = Readers(nodes, key, subscribers)
    disturb()
    end = freeze(nodes.alive[0])
    readers.end()
    assert not readers.problems, readers.problems[:10]
    return key, subscribers, end, readers.answers


def finish(nodes, key, subscribers, post, until):
    server = nodes.alive[-1]
    for _ in range(20):
        # Each call waits for at most a minute, because many deliveries may be pending.
        report = advance(server, until)
        if report["settled"]["pending"] == 0:
            break
    assert report["settled"]["pending"] == 0, report
    return normalized_state(server, key, subscribers, list(post.received))


@pytest.mark.alone
def test_two_nodes_with_one_killed_repeatedly_end_in_the_same_state_as_one_node(
    database, start_nodes, post,
):
    print(f"\nTILL_CRASH_SEED={SEED}")
    nodes = start_nodes(database.url, 2)
    disturber = Disturber(nodes, SEED, ROUNDS, 2.5)
    key, subscribers, end, answers = run_shop(nodes, post, SUBSCRIBERS, disturber.run)
    until = (end // DAY + 5) * DAY
    disturbed = finish(nodes, key, subscribers, post, until)
    sent = sum(len(one["notifications"]) for one in disturbed.values())
    rows = sum(len(one["rows"]) for one in disturbed.values())
    print(f"killed {disturber.kills}; {(until - START) / DAY:.0f} days, {rows} rows, {sent} notifications in "
          f"{len(post.received)} posts, {answers} answers meanwhile")
    assert rows > SUBSCRIBERS * 1.1 and sent > rows
    nodes.stop()
    run_till("doctor", "--data", nodes.data(0), TILL_DATABASE=database.url, code=0)

    alone = PostgresServer()
    other_post = ListeningPost()
    try:
        quiet = start_nodes(alone.url, 1)
        key, subscribers, _, _ = run_shop(quiet, other_post, SUBSCRIBERS, lambda: time.sleep(1))
        undisturbed = finish(quiet, key, subscribers, other_post, until)
        quiet.stop()
    finally:
        other_post.close()
        alone.stop()
    different = [name for name in undisturbed if undisturbed[name] != disturbed[name]]
    assert not different, (
        f"{len(different)} differ, {different[0]}:\n{undisturbed[different[0]]}\n{disturbed[different[0]]}"
    )


@pytest.fixture
def two(database, start_nodes):
    nodes = start_nodes(database.url, 2)
    yield nodes
    nodes.stop()


def post_purchase(server, customer) -> requests.Response:
    url = f"{server.address('control')}{SCOPE}/customers/{customer}/purchases"
    return requests.post(url, json={"productId": f"{BUNDLE}.coins"}, timeout=60)


def test_settings_made_on_one_node_apply_to_every_node_at_once(two, post):
    first, second = two.servers
    key = set_up_app(first, BUNDLE)
    for number in range(1, 6):
        one, other = (first, second) if number % 2 else (second, first)
        # Every node caches the clock, the endpoint and the keys in its memory.
        one.control("PUT", f"{SCOPE}/clock", {"mode": "frozen", "at": START + number * DAY})
        assert other.control("GET", f"{SCOPE}/clock")["now"] == START + number * DAY
        made = one.control("POST", "/v1/keys", {"name": f"key {number}"})
        assert made["keyId"] in [kept["keyId"] for kept in other.control("GET", "/v1/keys")]
        one.control("PUT", f"{SCOPE}/endpoints/primary", {"url": post.url + f"/{number}"})
        bought = other.control("POST", f"{SCOPE}/customers/ann/purchases", {"productId": f"{BUNDLE}.coins"})
        assert bought["transactionId"] in [
            row["transactionId"] for row in history(one, key, bought["transactionId"])
        ]
        posts = post.wait_for(number)
        assert len({payload(sent.jws)["notificationUUID"] for sent in posts}) == len(posts), "one was sent twice"
        sent = posts[number - 1]
        assert sent.path.endswith(f"/{number}")
        assert payload(payload(sent.jws)["data"]["signedTransactionInfo"])["purchaseDate"] == START + number * DAY


def test_concurrent_purchases_over_two_nodes_are_all_stored(two):
    key = set_up_app(two.servers[0], BUNDLE)

    def buy(server):
        answers = [post_purchase(server, "ann") for _ in range(25)]
        assert {answer.status_code for answer in answers} == {201}, answers[-1].text
        return [answer.json()["transaction"]["transactionId"] for answer in answers]

    with ThreadPoolExecutor(4) as pool:
        bought = [id_ for ids in pool.map(buy, two.servers * 2) for id_ in ids]
    assert len(set(bought)) == 100
    assert sorted(row["transactionId"] for row in history(two.servers[1], key, bought[0])) == sorted(bought)


def test_an_advance_is_finished_by_the_other_node_after_a_kill(two, post):
    first, second = two.servers
    key, subscribers = open_shop(first, post, 120)
    target = START + 365 * DAY

    def advance_until_killed():
        with contextlib.suppress(requests.RequestException, AssertionError):
            advance(first, target, settle=0)

    def clock():
        return second.control("GET", f"{SCOPE}/clock")["now"]

    threading.Thread(target=advance_until_killed, daemon=True).start()
    wait_until(lambda: "advance" in first.control("GET", f"{SCOPE}/clock") or clock() >= target, 30)
    two.kill(0)
    wait_until(lambda: clock() >= target, 90)
    rows = history(second, key, subscribers[0].original)
    assert len(rows) == 13, [row["purchaseDate"] for row in rows]
    two.start(0)


def test_of_two_servers_with_one_name_the_later_one_stays(database, start_nodes):
    nodes = start_nodes(database.url, 1, "--node-name", "twin")
    first = nodes.servers[0]
    set_up_app(first, BUNDLE)
    nodes.servers.append(None)
    second = nodes.start(1)
    assert first.process.wait(30) == 1, "the first server was not replaced"
    assert "twin" in first.stderr() and "--node-name" in first.stderr()
    assert "removed this node" not in second.stderr()
    bought = second.control("POST", f"{SCOPE}/customers/ann/purchases", {"productId": f"{BUNDLE}.coins"})
    assert bought["transactionId"]


def test_a_restore_on_one_node_applies_to_all_nodes(two):
    first, second = two.servers
    key = set_up_app(first, BUNDLE)
    first.control("PUT", f"{SCOPE}/clock", {"mode": "frozen", "at": START})
    kept = first.control("POST", f"{SCOPE}/customers/ann/purchases", {"productId": f"{BUNDLE}.basic"})["transactionId"]
    second.control("PUT", "/v1/snapshots/before")
    advance(second, START + 100 * DAY, settle=0)
    lost = first.control("POST", f"{SCOPE}/customers/ann/purchases", {"productId": f"{BUNDLE}.coins"})["transactionId"]
    second.control("POST", "/v1/snapshots/before/restore")
    for node in two.servers:
        assert node.control("GET", f"{SCOPE}/clock")["now"] == START
        assert [row["transactionId"] for row in history(node, key, kept)] == [kept]
        answer = node.apple(key, f"/inApps/v1/transactions/{lost}")
        assert answer.json()["errorCode"] == 4040010, answer.text


def test_a_listener_on_one_node_receives_notifications_of_the_other(two):
    first, second = two.servers
    set_up_app(first, BUNDLE)
    received = []

    def listen():
        answer = second.control("GET", f"{SCOPE}/listen?wait=20")
        received.append(answer["notificationType"])
        second.control("POST", f"{SCOPE}/listen/{answer['deliveryToken']}", {"status": 200}, expect=(200, 204))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    # The listener counts as an endpoint of every node.
    with contextlib.suppress(AssertionError):
        wait_until(lambda: first.control("GET", f"{SCOPE}/endpoints"), 2)
    first.control("POST", f"{SCOPE}/customers/ann/purchases", {"productId": f"{BUNDLE}.coins"})
    thread.join(25)
    assert received == ["ONE_TIME_CHARGE"]


class Balancer:
    """Sends requests to the nodes that report that they are ready. It polls all nodes continuously."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.ready = list(nodes.servers)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.ended.is_set():
            self.ready = [server for server in list(self.nodes.servers) if self.is_ready(server)]
            time.sleep(0.05)

    @staticmethod
    def is_ready(server) -> bool:
        try:
            return requests.get(server.address("control") + "/readyz", timeout=30).status_code == 200
        except requests.RequestException:
            return False


def test_a_rolling_restart_drops_no_request(database, start_nodes, post):
    two = start_nodes(database.url, 2, "--drain", 2)
    key = set_up_app(two.servers[0], BUNDLE)
    balancer = Balancer(two)
    two.servers[0].control("PUT", f"{SCOPE}/endpoints/primary", {"url": post.url})
    bought, problems = [], []
    ended = threading.Event()

    def buy(number):
        chance = random.Random(number)
        while not ended.is_set():
            server = chance.choice(balancer.ready)
            try:
                answer = post_purchase(server, f"c{number}")
            except requests.ConnectionError as error:
                problems.append(str(error))
                continue
            if answer.status_code == 201:
                bought.append((number, answer.json()["transaction"]["transactionId"]))
            else:
                problems.append(f"{answer.status_code} {answer.text}")

    threads = [threading.Thread(target=buy, args=(number,), daemon=True) for number in range(6)]
    for thread in threads:
        thread.start()
    for place in (0, 1, 0):
        assert two.servers[place].stop() == 0, two.servers[place].stderr()
        two.start(place)
        # The test waits until the balancer has noticed the restart.
        time.sleep(1)
    ended.set()
    for thread in threads:
        thread.join(60)
    balancer.ended.set()
    assert not problems, problems[:5]
    assert len(bought) > 30
    for number in range(6):
        mine = [id_ for who, id_ in bought if who == number]
        found = [row["transactionId"] for row in history(two.servers[1], key, mine[0])]
        assert sorted(found) == sorted(mine)
    post.wait_for(len(bought))


def test_a_node_with_another_root_is_rejected(two, tmp_path, database):
    text = run_till("serve", "--data", tmp_path / "stranger", *PORTS, TILL_DATABASE=database.url, code=1).stderr
    assert "root.pem is missing" in text and "--adopt-root" in text


def import_customer(server, name, ids, product="coins") -> requests.Response:
    """Imports a customer with a transaction for each id."""
    rows = [{
        "transactionId": id_, "originalTransactionId": id_, "bundleId": BUNDLE, "environment": "Sandbox",
        "productId": f"{BUNDLE}.{product}", "type": "Consumable", "purchaseDate": START, "signedDate": START,
        "storefront": "USA", "price": 990, "currency": "USD",
    } for id_ in ids]
    answers = [{"bundleId": BUNDLE, "hasMore": False, "signedTransactions": rows}]
    url = f"{server.address('control')}{SCOPE}/customers/{name}/import"
    return requests.post(url, json={"answers": answers}, timeout=60)


def test_an_import_on_one_node_reserves_its_ids_on_the_other(two):
    """The other node has a block of ids already, from which it would create the next transactions."""
    first, second = two.servers
    key = set_up_app(first, BUNDLE)

    def buy(count):
        answers = [post_purchase(second, "ann") for _ in range(count)]
        assert {answer.status_code for answer in answers} == {201}, answers[-1].text
        return [answer.json()["transaction"]["transactionId"] for answer in answers]

    def next_ids():
        # The ids that ann's next purchases could get: above the partition, an id contains a counter.
        last = int(buy(1)[0])
        return [str(last + 1024 * place) for place in range(1, 201)]

    ids = next_ids()
    imported = import_customer(first, "zoe", ids)
    assert imported.status_code == 201, imported.text
    assert set(buy(10)).isdisjoint(ids), "the second node created an id of the imported customer"
    assert {row["transactionId"] for row in history(second, key, ids[0])} == set(ids)

    # Purchases and an import at the same time: the ids belong to either.
    ids = next_ids()
    with ThreadPoolExecutor(1) as pool:
        racing = pool.submit(import_customer, first, "yan", ids)
        own = buy(20)
    if racing.result().status_code == 201:
        assert set(own).isdisjoint(ids)
    else:
        assert racing.result().json()["code"] == "identifier_exists", racing.result().text
        assert not set(own).isdisjoint(ids)

    # The same ids on both nodes at the same time: one import wins, and only its product is in the catalog of all nodes.
    for number in range(5):
        ids = [str(5_000 + 10 * number + place) for place in range(3)]
        new = [f"new-{number}-{place}" for place in range(2)]
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(import_customer, [first, second], new, [ids, ids], new))
        assert sorted(answer.status_code for answer in both) == [201, 409], [answer.text for answer in both]
        made = [f"{BUNDLE}.{name}" for name, answer in zip(new, both) if answer.status_code == 201]
        for server in (first, second):
            products = server.control("GET", f"/v1/apps/{BUNDLE}/catalog")["products"]
            ids_sold = [product["productId"] for product in products]
            assert [id_ for id_ in ids_sold if f"new-{number}-" in id_] == made
        bought = second.control("POST", f"{SCOPE}/customers/ann/purchases", {"productId": made[0]})
        assert bought["productId"] == made[0]
