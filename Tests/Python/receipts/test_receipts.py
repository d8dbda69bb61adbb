"""App receipts and verifyReceipt for two hundred simulated customers. Independent parsers accept every receipt, and
verifyReceipt agrees with the App Store Server API, key by key."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import keys_of_latest_receipt_info as keys
import simulated_customers
from receipt_checks import DIFFERENCES, Examiner, ReceiptChecker, states
from shop_helpers import App, Till

SEED = 20_310_120
OFTEN = {"billing_retrier", "price_consenter", "price_taker"}


@pytest.fixture(scope="module")
def till(tmp_path_factory):
    with Till(tmp_path_factory.mktemp("receipts")) as till:
        yield till


@pytest.fixture(scope="module")
def results(till):
    """Runs the complete simulation. Some customers are checked after each round, and all customers after the last
    round."""
    app = App(till, "com.example.shop", 1234567890, None, simulated_customers.catalog())
    secret = app.control.call("setSharedSecret", {}, bundleId=app.bundle_id)["sharedSecret"]
    simulation = simulated_customers.Simulation(app, SEED)
    examiner = Examiner(app.control, till.folder)
    checker = ReceiptChecker(simulation, examiner, secret)
    with ThreadPoolExecutor(simulated_customers.THREADS) as pool:
        for number in simulation.run():
            is_last = number == simulated_customers.ROUNDS - 1
            some = [customer for customer in simulation.customers
                    if is_last or customer.kind in OFTEN or simulation.rng.random() < 0.15]
            list(pool.map(checker.check, some))
    return SimpleNamespace(simulation=simulation, checker=checker, examiner=examiner)


def of_all(results, judge):
    """Checks the final receipt of every customer."""
    def one(customer):
        judge(customer, customer.call("GET", f"/customers/{customer.name}/receipt")["receipt"])

    with ThreadPoolExecutor(simulated_customers.THREADS) as pool:
        list(pool.map(one, results.simulation.customers))


def test_every_customer_was_checked(results):
    assert len(results.simulation.customers) == 200
    assert results.checker.checks >= 600


def test_every_state_of_a_subscription_was_seen(results):
    missing = [state for state, count in states(results.checker.renewals).items() if not count]
    assert not missing


def test_every_documented_difference_occurs(results):
    assert set(results.checker.differences) == set(DIFFERENCES)
    missing = [name for name, count in results.checker.differences.items() if not count]
    assert not missing


def test_every_key_is_produced_with_a_value_as_documented(results):
    assert not keys.faults(results.checker.seen)


def test_openssl_verifies_every_receipt(results):
    def judge(customer, receipt):
        at = customer.environment.clock.now // 1000
        payload = results.examiner.verified_by_openssl(receipt, at)
        assert payload.startswith(b"\x31")

    of_all(results, judge)


def test_every_receipt_is_laid_out_as_the_stores_are(results):
    of_all(results, lambda customer, receipt: results.examiner.taken_apart(receipt))
