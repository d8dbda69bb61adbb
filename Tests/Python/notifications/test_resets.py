"""A reset, deletion or restore of one app does not disturb the deliveries of other apps."""

import threading
from collections import Counter

import pytest

from listening_post import ListeningPost
from nodes_helpers import Nodes
from process_helpers import payload, set_up_app, wait_until

APP, OTHER = "com.example.steady", "com.example.replaced"
SCOPE = f"/v1/apps/{APP}/sandbox"
ROUNDS = 20


class SlowPost(ListeningPost):
    """A receiver that answers when the test says so."""

    def __init__(self):
        super().__init__(self.answer_later)
        self.opened = threading.Event()

    def answer_later(self, handler):
        self.opened.wait(60)
        self.reply(handler, 200)


@pytest.fixture
def slow_post():
    post = SlowPost()
    yield post
    post.opened.set()
    post.close()


@pytest.fixture(params=["SQLite", "two nodes"])
def servers(request, serve, tmp_path):
    if request.param == "SQLite":
        yield [serve()]
        return
    nodes = Nodes(tmp_path / "nodes", request.getfixturevalue("database").url, 2)
    yield nodes.servers
    nodes.close()


def replace(server, number: int):
    """Resets, restores or deletes the other app."""
    if number % 4 == 1:
        server.control("POST", "/v1/snapshots/other/restore", {})
    elif number % 4 == 3:
        server.control("DELETE", f"/v1/state?bundleId={OTHER}&everything=true", expect=(200, 204))
        server.control("POST", "/v1/apps", {"bundleId": OTHER})
    else:
        server.control("DELETE", f"/v1/state?bundleId={OTHER}", expect=(200, 204))


def test_deliveries_of_an_app_continue_while_another_app_is_replaced(servers, slow_post):
    first = servers[0]
    set_up_app(first, APP)
    first.control("POST", "/v1/apps", {"bundleId": OTHER})
    first.control("PUT", f"/v1/snapshots/other?bundleId={OTHER}")
    first.control("PUT", f"{SCOPE}/endpoints/primary", {"url": slow_post.url})
    first.control("PUT", f"{SCOPE}/clock", {"mode": "frozen"})
    for number in range(ROUNDS):
        slow_post.opened.clear()
        buyer, other = servers[number % len(servers)], servers[number // 2 % len(servers)]
        for customer in range(2):
            buyer.control(
                "POST", f"{SCOPE}/customers/c{number}-{customer}/purchases", {"productId": f"{APP}.coins"},
            )
        # Both deliveries are under way, and end after the replacement.
        slow_post.wait_for(2 * number + 2)
        replace(other, number)
        slow_post.opened.set()

    def notifications():
        return list(first.all_pages(f"{SCOPE}/notifications", "notifications"))

    def is_recorded(notification):
        return all(delivery["isDelivered"] for delivery in notification["deliveries"])

    # An attempt that was not recorded is repeated at once.
    wait_until(lambda: all(map(is_recorded, notifications())))
    made = notifications()
    assert len(made) == 2 * ROUNDS
    arrivals = Counter(payload(item.jws)["notificationUUID"] for item in slow_post.received)
    assert arrivals == {item["notificationUUID"]: 1 for item in made}
    assert [len(delivery["attempts"]) for item in made for delivery in item["deliveries"]] == [1] * len(made)
