"""kill -9 between the signing and the sending of notifications that were stored unsigned: no attempt and no reader gets
other bytes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from listening_post import ListeningPost
from process_helpers import assert_healthy, payload, set_up_app

BUNDLE = "com.example.signing"
SCOPE = f"/v1/apps/{BUNDLE}/sandbox"
COUNT = 60
# Till sends at most this number of notifications to an endpoint at once.
AT_ONCE = 16


@pytest.fixture
def post():
    post = ListeningPost()
    yield post
    post.close()


def test_what_was_signed_late_has_the_same_bytes_before_and_after_kill_9(serve, post, tmp_path):
    server = serve(data=tmp_path / "data")
    set_up_app(server, BUNDLE)
    now = server.control("PUT", f"{SCOPE}/clock", {"mode": "frozen"})["now"]
    with ThreadPoolExecutor(8) as pool:
        # No endpoint receives these notifications, so they are stored unsigned.
        list(pool.map(lambda number: server.control(
            "POST", f"{SCOPE}/customers/customer-{number}/purchases", {"productId": f"{BUNDLE}.basic"},
        ), range(COUNT)))
    uuids = [one["notificationUUID"] for one in server.all_pages(f"{SCOPE}/notifications", "notifications")]
    assert len(uuids) == COUNT

    # The endpoint reads what it gets and never answers, while readers look at the other notifications.
    post.answer = post.hang
    server.control("PUT", f"{SCOPE}/endpoints/primary", {"url": post.url})
    server.control("POST", f"{SCOPE}/notifications/resend", {"from": now - 60_000, "to": now + 60_000})
    seen, enough = {}, threading.Event()
    url = f"{server.address('control')}{SCOPE}/notifications/"

    def read(some):
        try:
            for uuid in some:
                answer = requests.get(url + uuid, timeout=60)
                assert answer.status_code == 200, answer.text
                seen[uuid] = answer.json()["signedPayload"]
                if len(seen) >= COUNT // 3:
                    enough.set()
        except requests.ConnectionError:
            return

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read, uuids[place::2]) for place in range(2)]
        sent = [one.jws for one in post.wait_for(AT_ONCE)]
        assert enough.wait(120)
        server.kill()
        for reader in readers:
            reader.result()
    assert_healthy(server.data, "after the kill")

    post.answer = 200
    server = serve(data=server.data)
    posts = [one.jws for one in post.wait_for(len(sent) + COUNT)]
    by_uuid = {}
    for jws in posts:
        by_uuid.setdefault(payload(jws)["notificationUUID"], set()).add(jws)
    assert set(by_uuid) == set(uuids) == {payload(jws)["notificationUUID"] for jws in posts[len(sent):]}
    assert all(len(texts) == 1 for texts in by_uuid.values()), "two attempts differ"
    assert {uuid: {jws} for uuid, jws in seen.items()}.items() <= by_uuid.items(), "a reader saw other bytes"
    assert all({server.control("GET", f"{SCOPE}/notifications/{uuid}")["signedPayload"]} == by_uuid[uuid]
               for uuid in uuids)
    assert server.stop() == 0
    assert_healthy(server.data, "after a clean stop")
