"""App receipts and verifyReceipt over two hundred customers' lives: parsers from elsewhere accept every receipt, and
what verifyReceipt says of a customer is what the App Store Server API says, key by key."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import keys_of_latest_receipt_info as keys
import receipt_lives
from receipt_checks import DIFFERENCES, Examiner, Looker, states
from shop_helpers import App, Till
from told import control_of

SEED = 20_310_120
OFTEN = {"debtor", "payer", "taker"}


@pytest.fixture(scope="module")
def till(tmp_path_factory):
    till = Till(tmp_path_factory.mktemp("receipts"))
    yield till
    try:
        assert till.stop() == 0
    finally:
        till.kill()


@pytest.fixture(scope="module")
def lived(till):
    """The whole of the lives. Some customers are looked at after each round, and everybody after the last."""
    app = App(till, control_of(till), "com.example.shop", 1234567890, None, receipt_lives.catalog())
    secret = app.control.call("setSharedSecret", {}, bundleId=app.bundle_id)["sharedSecret"]
    world = receipt_lives.World(app, SEED)
    examiner = Examiner(app.control, till.folder)
    looker = Looker(world, examiner, secret)
    with ThreadPoolExecutor(receipt_lives.THREADS) as pool:
        for number in world.live():
            is_last = number == receipt_lives.ROUNDS - 1
            some = [life for life in world.lives if is_last or life.kind in OFTEN or world.dice.random() < 0.15]
            list(pool.map(looker.look, some))
    return SimpleNamespace(world=world, looker=looker, examiner=examiner)


def of_all(lived, judge):
    """Judges everybody's receipt as it is at the end."""
    def one(life):
        judge(life, life.call("GET", f"/customers/{life.name}/receipt")["receipt"])

    with ThreadPoolExecutor(receipt_lives.THREADS) as pool:
        list(pool.map(one, lived.world.lives))


def test_everybody_was_looked_at(lived):
    assert len(lived.world.lives) == 200
    assert lived.looker.looks >= 600


def test_every_state_of_a_subscription_was_seen(lived):
    missing = [state for state, count in states(lived.looker.renewals).items() if not count]
    assert not missing


def test_every_documented_difference_occurs(lived):
    assert set(lived.looker.differences) == set(DIFFERENCES)
    missing = [name for name, count in lived.looker.differences.items() if not count]
    assert not missing


def test_every_key_is_produced_with_a_value_as_documented(lived):
    assert not keys.faults(lived.looker.seen)


def test_openssl_verifies_every_receipt(lived):
    def judge(life, receipt):
        at = life.environment.clock.now // 1000
        payload = lived.examiner.verified_by_openssl(receipt, at)
        assert payload.startswith(b"\x31")

    of_all(lived, judge)


def test_every_receipt_is_laid_out_as_the_stores_are(lived):
    of_all(lived, lambda life, receipt: lived.examiner.taken_apart(receipt))
