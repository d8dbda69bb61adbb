"""Simulates two hundred customers in all situations that a receipt can show. They use both environments of an app, on
frozen clocks that advance between rounds. The same seed gives the same actions.

The actions of a customer are a generator, and each round runs the generator to the next `yield`. Between rounds, any
customer can be checked. If a check needs a fact that no answer contains, the fact is stored in the customer object.
"""

import random
import uuid
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator

from catalog_of_everything import (
    BASIC, BASIC_YEAR, CATALOG, COINS, EXTRA, FOREVER, ONE, PRO, SEASON, SOLO, TICKETS, plan, product,
)
from process_helpers import flat, own_session, path_part
from shop_helpers import NO_OFFER

PREFIX = "com.example.shop"
PLAIN, UPFRONT, RISING, NOTED, LEAVING = (f"{PREFIX}.{name}" for name in (
    "plain.month", "upfront.month", "rising.month", "noted.month", "leaving.month"))
THREADS = 6
# The number of days from each round to the next. The rounds cover a grace period of 16 days, billing retry of 60 days,
# and several months.
ADVANCES = [4, 6, 17, 9, 13, 14, 20, 25, 18]
# The start is 2031-01-20 09:30:15.250 UTC. It is far in the future, and daylight saving time begins in California
# before the last round.
START = 1_926_667_815_250
ROUNDS = len(ADVANCES) + 1
GRACE_DAYS = 16
GRACE_SWITCHES = 5


def catalog() -> dict:
    """The shared test catalog, with additional products whose price increases or that are removed from sale."""
    groups = [{"groupId": f"2045089{number}", "name": f"More {number}", "localizations": []} for number in range(4)]
    names = [group["groupId"] for group in groups]

    def month(product_id, group, level, price, **more):
        return product(product_id, "AUTO_RENEWABLE", price, subscription=plan(group, level, "P1M"), **more)

    return {
        "groups": CATALOG["groups"] + groups,
        "products": CATALOG["products"] + [
            month(PLAIN, ONE, 2, "4.49"), month(RISING, names[1], 1, "2.99"), month(NOTED, names[2], 1, "3.99"),
            month(LEAVING, names[3], 1, "1.99"),
            month(UPFRONT, names[0], 1, "6.99", offers=[
                {"kind": "INTRODUCTORY", "mode": "PAY_UP_FRONT", "price": "8.99", "currency": "USD", "period": "P2M",
                 "periodCount": 1},
            ]),
        ],
    }


class SimulatedCustomer:
    """A customer, with the facts that only the customer and the app know."""

    def __init__(self, simulation, environment, name, kind, rng):
        self.simulation = simulation
        self.environment = environment
        self.name = name
        self.kind = kind
        self.rng = rng
        self.actions = None
        # The transaction ids of the customer's consumables.
        self.finished = set()
        self.refunded = set()
        # One of the customer's transaction ids; None before the first purchase.
        self.some_id = None
        # The original ids of subscriptions whose price needed consent, and of those that were cancelled within a grace
        # period.
        self.needs_consent = set()
        self.left_in_grace = set()

    def __repr__(self):
        return f"<{self.kind} {self.name} of the {self.environment.name}>"

    def call(self, method, path, body=None):
        return self.simulation.call(self.environment, method, path, body)

    def create(self, **options) -> dict:
        return self.call("POST", "/customers", {"customer": self.name, **options})

    def buy(self, product, **options) -> dict:
        path = f"/customers/{path_part(self.name)}/purchases"
        bought = self.call("POST", path, {"productId": product, **options})
        self.some_id = self.some_id or bought["transactionId"]
        if options.get("finished") and product in (COINS, TICKETS):
            self.finished.add(bought["transactionId"])
        return bought

    def subscribe(self, product, **options) -> str:
        """Buys a subscription without an offer, unless one is given, and returns the original transaction id."""
        return self.buy(product, **{"offer": NO_OFFER, **options})["originalTransactionId"]

    def finish(self, id_):
        self.call("POST", f"/transactions/{id_}/finish", {})
        self.finished.add(id_)

    def refund(self, id_, consumable=False, **options):
        self.call("POST", f"/transactions/{id_}/refund", options)
        if consumable:
            self.refunded.add(id_)

    def reverse(self, id_):
        self.call("POST", f"/transactions/{id_}/refund/reverse", {})
        self.refunded.discard(id_)

    def act(self, verb, original, **options) -> dict:
        return self.call("POST", f"/subscriptions/{original}/{verb}", options)

    def state(self, original) -> dict:
        return self.call("GET", f"/subscriptions/{original}")["subscription"]

    def cancel(self, original):
        was_in_grace = self.state(original)["status"] == 4
        self.act("cancel", original)
        if was_in_grace:
            self.left_in_grace.add(original)

    def card(self, card):
        self.call("PATCH", f"/customers/{path_part(self.name)}", {"card": card})

    def promotional(self, product, offer) -> dict:
        token = self.simulation.signer.create_signature(product, offer, self.some_id)
        return {"kind": "PROMOTIONAL", "id": offer, "token": token}


# Kinds of customers ---------------------------------------------------------------------------------------------------


def inactive(customer):
    """Downloads the app and buys nothing."""
    customer.create(applicationVersion=f"{customer.rng.randint(1, 9)}.{customer.rng.randint(0, 9)}",
                    platform=customer.rng.choice(["iOS", "macOS"]))
    yield


def consumables_buyer(customer):
    """Buys consumables, some with a quantity. Finishes them at once, later or never; some are refunded."""
    customer.create()
    unfinished, refunded = [], None
    for number in range(ROUNDS):
        for _ in range(customer.rng.randint(0, 2)):
            product = customer.rng.choice([COINS, TICKETS])
            at_once = customer.rng.random() < 0.4
            options = {"quantity": customer.rng.randint(1, 10), "finished": at_once}
            if customer.rng.random() < 0.3:
                options["appAccountToken"] = str(uuid.UUID(int=customer.rng.getrandbits(128), version=4))
            bought = customer.buy(product, **options)["transactionId"]
            if not at_once:
                unfinished.append(bought)
        yield
        if unfinished and customer.rng.random() < 0.5:
            customer.finish(unfinished.pop(0))
        if unfinished and customer.rng.random() < 0.3:
            refunded = unfinished.pop()
            customer.refund(refunded, consumable=True, reason=1)
        elif refunded and customer.rng.random() < 0.5:
            customer.reverse(refunded)
            refunded = None
        if number == 4:
            customer.subscribe(EXTRA)


def code_redeemer(customer):
    """Redeems codes for a consumable, for a free subscription, and for a subscription that continues."""
    customer.buy(TICKETS, offer={"kind": "CODE", "id": "GIFT"}, quantity=2)
    bought = customer.buy(BASIC, offer={"kind": "CODE", "id": "SPRING"})["originalTransactionId"]
    yield
    yield
    customer.buy(BASIC, offer={"kind": "CODE", "id": "STAYING"})
    for _ in range(5):
        yield
    customer.cancel(bought)


def non_consumables_buyer(customer):
    """Buys non-consumables and non-renewing subscriptions, gets a refund and buys again."""
    solo = customer.buy(SOLO, finished=customer.rng.random() < 0.5)["transactionId"]
    yield
    customer.buy(SEASON, finished=True)
    customer.buy(FOREVER, appAccountToken=str(uuid.UUID(int=customer.rng.getrandbits(128), version=4)))
    yield
    customer.refund(solo, reason=customer.rng.randint(0, 1))
    yield
    season = customer.buy(SEASON)["transactionId"]
    if customer.rng.random() < 0.5:
        customer.reverse(solo)
    else:
        customer.buy(SOLO)
    yield
    customer.refund(season, share="PART", percentage=30_000)
    if customer.rng.random() < 0.6:
        yield
        customer.subscribe(PRO)


def trial_user(customer):
    """Starts with a free week. Then keeps the subscription, cancels it, or cancels it and returns."""
    bought = customer.buy(BASIC)["originalTransactionId"]
    yield
    choice = customer.rng.randrange(3)
    if choice:
        customer.cancel(bought)
    yield
    if choice == 2:
        customer.subscribe(BASIC)
    yield
    yield
    if choice == 0:
        customer.cancel(bought)
        yield
        if customer.state(bought)["status"] == 1:
            customer.act("resume", bought)


def upgrader(customer):
    """Upgrades at once, schedules a downgrade, and withdraws the downgrade before the next renewal."""
    bought = customer.subscribe(BASIC)
    yield
    customer.act("change", bought, productId=PRO)
    yield
    customer.act("change", bought, productId=BASIC)
    yield
    if customer.rng.random() < 0.5:
        customer.act("change", bought, productId=PRO)
    yield
    yield
    if customer.state(bought)["productId"] == BASIC:
        customer.act("change", bought, productId=PRO)


def crossgrader(customer):
    """Changes the plan within a level: at once to a plan of the same duration, at the next renewal to another."""
    bought = customer.subscribe(BASIC, appAccountToken=str(uuid.UUID(int=customer.rng.getrandbits(128), version=4)))
    yield
    customer.act("change", bought, productId=PLAIN)
    yield
    customer.act("change", bought, productId=BASIC_YEAR)
    for _ in range(4):
        yield


def introductory_payer(customer):
    """Uses paid introductory offers: pay as you go, and pay up front."""
    bought = customer.buy(customer.rng.choice([EXTRA, UPFRONT]))["originalTransactionId"]
    for _ in range(customer.rng.randint(3, 7)):
        yield
    customer.cancel(bought)


def promotional_buyer(customer):
    """Uses promotional offers: for an active subscription, and to resubscribe."""
    bought = customer.subscribe(BASIC)
    yield
    customer.buy(BASIC, offer=customer.promotional(BASIC, customer.rng.choice(["stay3", "month"])))
    for _ in range(4):
        yield
    customer.cancel(bought)
    yield
    yield
    yield
    customer.buy(BASIC, offer=customer.promotional(BASIC, customer.rng.choice(["half", "month"])))


def resubscriber(customer):
    """Cancels and resubscribes with a code, with a win-back offer, with another product, or without an offer."""
    bought = customer.subscribe(BASIC)
    yield
    yield
    yield
    customer.cancel(bought)
    for _ in range(customer.rng.choice([4, 5])):
        yield
    choice = customer.rng.randrange(4)
    if choice == 0:
        customer.buy(BASIC, offer={"kind": "CODE", "id": "BACK"})
    elif choice == 1 and customer.environment.name == "sandbox":
        customer.buy(BASIC, offer={"kind": "WIN_BACK", "id": "return"})
    elif choice == 2:
        customer.subscribe(PRO)
    else:
        customer.subscribe(BASIC)


def billing_retrier(customer):
    """Has a declined card and replaces it in time, too late or never, or cancels in the meantime."""
    product = customer.rng.choice([PRO, BASIC, EXTRA])
    customer.create()
    for _ in range(customer.rng.randint(0, 3)):
        yield
    bought = customer.subscribe(product)
    yield
    customer.card("declinedForRenewals")
    choice = customer.rng.randrange(5)
    while customer.state(bought)["status"] == 1:
        yield
    if choice == 0:
        customer.card("accepted")
    elif choice == 1:
        customer.cancel(bought)
        yield
        if customer.rng.random() < 0.5:
            customer.card("accepted")
            customer.subscribe(product)
    elif choice == 2:
        yield
        yield
        customer.card("accepted")
    elif choice == 3:
        yield
        if customer.state(bought)["status"] in (3, 4):
            customer.cancel(bought)


def price_consenter(customer):
    """Consents to a price increase that needs consent, declines it, or does not answer."""
    bought = customer.subscribe(RISING)
    customer.needs_consent.add(bought)
    choice = customer.rng.randrange(4)
    while customer.state(bought).get("priceIncrease", {}).get("stage") != "pending":
        yield
    yield
    if customer.state(bought).get("priceIncrease", {}).get("stage") != "pending":
        return
    if choice == 0:
        customer.act("price-increase/accept", bought)
    elif choice == 1:
        customer.act("price-increase/decline", bought)
    elif choice == 2:
        customer.cancel(bought)


def price_taker(customer):
    """Has a price increase without consent, and a product that is removed from sale."""
    customer.subscribe(NOTED)
    yield
    customer.subscribe(LEAVING)


def refund_requester(customer):
    """Gets full, prorated or partial refunds of a subscription, reverses some of them, and subscribes again."""
    bought = customer.buy(PRO, offer=NO_OFFER)
    for _ in range(customer.rng.randint(1, 4)):
        yield
    latest = customer.call("GET", f"/subscriptions/{bought['originalTransactionId']}")["transactionId"]
    which = customer.rng.choice([latest, bought["transactionId"]])
    share = customer.rng.choice(["FULL", "UNUSED", "PART"] if which == latest else ["FULL", "PART"])
    customer.refund(which, share=share, reason=customer.rng.randint(0, 1),
                    **({"percentage": 50_000} if share == "PART" else {}))
    yield
    if customer.rng.random() < 0.5:
        customer.reverse(which)
    elif customer.state(bought["originalTransactionId"])["status"] == 5:
        customer.subscribe(PRO)
    yield
    if customer.state(bought["originalTransactionId"])["status"] == 1:
        customer.act("extend", bought["originalTransactionId"], days=5)


def organizer(customer):
    """Shares purchases with a family member. Sharing ends in one of three ways."""
    member = customer.member
    customer.call("POST", "/families", {"organizer": customer.name, "members": [member.name]})
    customer.subscribe(customer.rng.choice([PRO, BASIC]))
    forever = customer.buy(FOREVER)["transactionId"]
    yield
    (entry,) = customer.call("GET", f"/customers/{path_part(member.name)}")["subscriptions"]
    member.some_id = entry["transactionId"]
    yield
    yield
    yield
    choice = customer.rng.randrange(3)
    if choice == 0:
        customer.call("DELETE", f"/customers/{path_part(member.name)}/family")
    elif choice == 1:
        customer.refund(forever)
    else:
        customer.call("POST", f"/transactions/{customer.some_id}/sharing", {"shared": False})


def member(customer):
    """A family member with shared purchases only."""
    customer.create()
    yield


def extended(customer):
    """Gets a renewal extension, and buys products of all other types."""
    bought = customer.subscribe(PRO)
    customer.buy(COINS)
    yield
    customer.act("extend", bought, days=customer.rng.randint(1, 30))
    customer.buy(SOLO)
    yield
    customer.finish(customer.buy(COINS, quantity=2)["transactionId"])
    customer.buy(EXTRA)
    yield
    customer.buy(SEASON)


# The kinds of customers, and the number of each kind in a hundred customers per environment. A family counts as two.
KINDS = [
    (inactive, 3), (consumables_buyer, 10), (code_redeemer, 5), (non_consumables_buyer, 7), (trial_user, 8),
    (upgrader, 7), (crossgrader, 4), (introductory_payer, 6), (promotional_buyer, 6), (resubscriber, 8),
    (billing_retrier, 15), (price_consenter, 7), (price_taker, 3), (refund_requester, 6), (extended, 3),
]
FAMILIES = 1


class Simulation:
    """Runs the customers of both environments of an app, round by round."""

    def __init__(self, app, seed):
        self.app = app
        self.signer = app.signer(PromotionalOfferV2SignatureCreator)
        self.rng = random.Random(seed)
        self.environments = [app.sandbox, app.production]
        self.round = 0
        self.customers = [customer for each in self.environments for customer in self._customers_of(each)]
        for environment in self.environments:
            environment.clock = SimpleNamespace(**environment.control("setClock", {"mode": "frozen", "at": START}))
        self._set_grace(self.environments[0])

    def _customers_of(self, environment):
        kinds = [kind for kind, count in KINDS for _ in range(count)] + [organizer] * FAMILIES
        for number, kind in enumerate(kinds):
            customer = self._customer(environment, f"{kind.__name__}-{number}", kind)
            if kind is organizer:
                customer.member = self._customer(environment, f"member-{number}", member)
                yield customer.member
            yield customer

    def _customer(self, environment, name, kind):
        rng = random.Random(f"{self.rng.getrandbits(64)}")
        customer = SimulatedCustomer(self, environment, name, kind.__name__, rng)
        customer.actions = kind(customer)
        return customer

    def _set_grace(self, environment):
        """Sets a grace period in one environment and none in the other. The environments are exchanged once."""
        for other in self.environments:
            days = GRACE_DAYS if other is environment else 0
            other.control("updateSettings", {"grace": {"days": days}, "refundRule": "byHand"})

    def call(self, environment, method, path, body=None):
        """Calls the control API over the thread's own connection. A rejected call is an error in the simulation."""
        address = f"{self.app.control.address}/v1/apps/{self.app.bundle_id}/{environment.name}{path}"
        answer = own_session().request(method, address, json=body, timeout=60)
        assert answer.ok, f"{method} {path} {body}: {answer.status_code} {answer.text}"
        return flat(answer.json()) if answer.content else None

    def run(self):
        """Runs the rounds. Yields after each round, so that the caller can check customers before the clocks
        advance."""
        for self.round in range(ROUNDS):
            with ThreadPoolExecutor(THREADS) as pool:
                list(pool.map(lambda customer: next(customer.actions, None), self.customers))
            yield self.round
            self._between()
            if self.round < len(ADVANCES):
                for environment in self.environments:
                    report = environment.control("advanceClock", {"by": f"P{ADVANCES[self.round]}D"})
                    assert report["quarantined"] == []
                    environment.clock.now = report["to"]

    def _between(self):
        """Makes changes that affect all customers."""
        if self.round == 1:
            for environment, price in zip(self.environments, (5_990, 6_990)):
                environment.control("raisePrice", {"price": price, "consent": "required"}, productId=RISING)
                environment.control("raisePrice", {"price": price, "consent": "notNeeded"}, productId=NOTED)
        if self.round == 2:
            self.app.control.call("setForSale", {"forSale": False}, bundleId=self.app.bundle_id, productId=LEAVING)
        if self.round == GRACE_SWITCHES:
            self._set_grace(self.app.production)
