"""Answers that wait for deliveries, on two servers that share a database."""

import time


from nodes_helpers import BUNDLE, SCOPE, Nodes
from process_helpers import set_up_app


def test_an_answer_waits_for_deliveries_that_the_other_server_makes(database, post, tmp_path):
    nodes = Nodes(tmp_path, database.url, 2)
    try:
        first = nodes.servers[0]
        set_up_app(first, BUNDLE)
        first.control("PUT", f"{SCOPE}/endpoints/primary", {"url": post.url})
        first.control("PUT", f"{SCOPE}/clock", {"mode": "frozen"})
        # Each server delivers about half of the notifications, whichever server is asked.
        begun = time.monotonic()
        for number in range(24):
            server = nodes.servers[number % 2]
            answer = server.control(
                "POST", f"{SCOPE}/customers/c{number}/purchases?settle=30", {"productId": f"{BUNDLE}.coins"},
            )
            assert answer["settled"]["delivered"] == 1 and answer["settled"]["pending"] == 0, answer
            assert len(post.received) == number + 1
        # Without the signal of the other server, half of the answers would come after a second.
        assert time.monotonic() - begun < 10

        # A change through one server reaches the deliveries of the other.
        first.control("PATCH", f"{SCOPE}/endpoints/primary", {"types": ["REFUND"]})
        answer = nodes.servers[1].control(
            "POST", f"{SCOPE}/customers/c1/purchases?settle=30", {"productId": f"{BUNDLE}.coins"},
        )
        assert answer["settled"] == {"delivered": 0, "pending": 0, "pendingDeliveries": []}, answer
    finally:
        nodes.close()
