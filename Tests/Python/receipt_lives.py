"""Two hundred customers who live through all that a receipt can tell: in both environments of one app, on clocks that stand
still and leap between rounds. The same seed gives the same lives.

A life is a generator: what it does up to a `yield` happens in one round. Lives only act. Between two rounds anybody may
look at every customer; what a look needs to know and cannot read from an answer, a life writes down.
"""

import random
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import requests
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator

from catalog_of_everything import BASIC, BASIC_YEAR, CATALOG, COINS, EXTRA, FOREVER, PRO, SEASON, SOLO, TICKETS
from process_helpers import path_part
from shop_helpers import NO_OFFER

PREFIX = "com.example.shop"
PLAIN, UPFRONT, RISING, NOTED, LEAVING = (f"{PREFIX}.{name}" for name in (
    "plain.month", "upfront.month", "rising.month", "noted.month", "leaving.month"))
THREADS = 6
# Days from each round to the next: a grace period of 16 days, a retry of 60, and several months.
LEAPS = [4, 6, 17, 9, 13, 14, 20, 25, 18]
# 2031-01-20 09:30:15.250 UTC: far ahead, and California changes its clocks before the last round.
START = 1_926_667_815_250
ROUNDS = len(LEAPS) + 1
GRACE_DAYS = 16
GRACE_SWITCHES = 5


def _month(product_id, group, level, price, **more):
    return {"productId": product_id, "type": "AUTO_RENEWABLE", "referenceName": product_id, "price": price,
            "currency": "USD", "familyShareable": False, "forSale": True, "localizations": [], "offers": [],
            "subscription": {"groupId": group, "level": level, "period": "P1M"}, **more}


def catalog() -> dict:
    """The catalogue of everything, and products whose price rises, or that leave the sale."""
    groups = [{"groupId": f"2045089{number}", "name": f"More {number}", "localizations": []} for number in range(4)]
    names = [group["groupId"] for group in groups]
    one = next(product for product in CATALOG["products"] if product["productId"] == BASIC)["subscription"]["groupId"]
    return {
        "groups": CATALOG["groups"] + groups,
        "products": CATALOG["products"] + [
            _month(PLAIN, one, 2, "4.49"),
            _month(UPFRONT, names[0], 1, "6.99", offers=[
                {"kind": "INTRODUCTORY", "mode": "PAY_UP_FRONT", "price": "8.99", "currency": "USD", "period": "P2M",
                 "periodCount": 1},
            ]),
            _month(RISING, names[1], 1, "2.99"),
            _month(NOTED, names[2], 1, "3.99"),
            _month(LEAVING, names[3], 1, "1.99"),
        ],
    }


class Standing:
    """What a clock shows, for the checks of shop_helpers."""

    def __init__(self, now):
        self.now = now


class Life:
    """A customer, and what only they and their app know."""

    def __init__(self, world, environment, name, kind, dice):
        self.world = world
        self.environment = environment
        self.name = name
        self.kind = kind
        self.dice = dice
        self.acts = None
        # Transaction ids of consumables.
        self.finished = set()
        self.refunded = set()
        # What the customer can be found by; None until they bought.
        self.some_id = None
        # Original ids of subscriptions whose price needed consent, and of those cancelled within a grace period.
        self.asked_for_consent = set()
        self.left_in_grace = set()

    def __repr__(self):
        return f"<{self.kind} {self.name} of the {self.environment.name}>"

    def call(self, method, path, body=None):
        return self.world.call(self.environment, method, path, body)

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
        """Buys without an offer unless one is named; the original transaction id."""
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
        self.call("POST", f"/customers/{path_part(self.name)}/card", {"card": card})

    def promotional(self, product, offer) -> dict:
        token = self.world.signer.create_signature(product, offer, self.some_id)
        return {"kind": "PROMOTIONAL", "id": offer, "token": token}


# Kinds of lives -------------------------------------------------------------------------------------------------------


def idler(life):
    """Downloads the app and buys nothing."""
    life.create(applicationVersion=f"{life.dice.randint(1, 9)}.{life.dice.randint(0, 9)}",
                platform=life.dice.choice(["iOS", "macOS"]))
    yield


def gambler(life):
    """Buys consumables: finished at once, later, never; several of one; some refunded."""
    life.create()
    open_, told = [], None
    for number in range(ROUNDS):
        for _ in range(life.dice.randint(0, 2)):
            product = life.dice.choice([COINS, TICKETS])
            at_once = life.dice.random() < 0.4
            options = {"quantity": life.dice.randint(1, 10), "finished": at_once}
            if life.dice.random() < 0.3:
                options["appAccountToken"] = str(uuid.UUID(int=life.dice.getrandbits(128), version=4))
            bought = life.buy(product, **options)["transactionId"]
            if not at_once:
                open_.append(bought)
        yield
        if open_ and life.dice.random() < 0.5:
            life.finish(open_.pop(0))
        if open_ and life.dice.random() < 0.3:
            told = open_.pop()
            life.refund(told, consumable=True, reason=1)
        elif told and life.dice.random() < 0.5:
            life.reverse(told)
            told = None
        if number == 4:
            life.subscribe(EXTRA)


def redeemer(life):
    """Redeems codes: for a consumable, for a free subscription, and stays with a third."""
    life.buy(TICKETS, offer={"kind": "CODE", "id": "GIFT"}, quantity=2)
    bought = life.buy(BASIC, offer={"kind": "CODE", "id": "SPRING"})["originalTransactionId"]
    yield
    yield
    life.buy(BASIC, offer={"kind": "CODE", "id": "STAYING"})
    for _ in range(5):
        yield
    life.cancel(bought)


def collector(life):
    """Buys what stays; a refund, and the same again."""
    solo = life.buy(SOLO, finished=life.dice.random() < 0.5)["transactionId"]
    yield
    life.buy(SEASON, finished=True)
    life.buy(FOREVER, appAccountToken=str(uuid.UUID(int=life.dice.getrandbits(128), version=4)))
    yield
    life.refund(solo, reason=life.dice.randint(0, 1))
    yield
    season = life.buy(SEASON)["transactionId"]
    if life.dice.random() < 0.5:
        life.reverse(solo)
    else:
        life.buy(SOLO)
    yield
    life.refund(season, share="PART", percentage=30_000)
    if life.dice.random() < 0.6:
        yield
        life.subscribe(PRO)


def trialist(life):
    """Begins with a free week; stays, leaves, or changes their mind."""
    bought = life.buy(BASIC)["originalTransactionId"]
    yield
    choice = life.dice.randrange(3)
    if choice:
        life.cancel(bought)
    yield
    if choice == 2:
        life.subscribe(BASIC)
    yield
    yield
    if choice == 0:
        life.cancel(bought)
        yield
        if life.state(bought)["status"] == 1:
            life.act("resume", bought)


def climber(life):
    """Up at once, down with the next period, and back before it came."""
    bought = life.subscribe(BASIC)
    yield
    life.act("change", bought, productId=PRO)
    yield
    life.act("change", bought, productId=BASIC)
    yield
    if life.dice.random() < 0.5:
        life.act("change", bought, productId=PRO)
    yield
    yield
    if life.state(bought)["productId"] == BASIC:
        life.act("change", bought, productId=PRO)


def crosser(life):
    """Along the same level: at once for the same period, with the next one for another."""
    bought = life.subscribe(BASIC, appAccountToken=str(uuid.UUID(int=life.dice.getrandbits(128), version=4)))
    yield
    life.act("change", bought, productId=PLAIN)
    yield
    life.act("change", bought, productId=BASIC_YEAR)
    for _ in range(4):
        yield


def saver(life):
    """Introductory periods that are paid: as one goes, or up front."""
    bought = life.buy(life.dice.choice([EXTRA, UPFRONT]))["originalTransactionId"]
    for _ in range(life.dice.randint(3, 7)):
        yield
    life.cancel(bought)


def bargainer(life):
    """Promotional offers: on top of a running subscription, and to come back."""
    bought = life.subscribe(BASIC)
    yield
    life.buy(BASIC, offer=life.promotional(BASIC, life.dice.choice(["stay3", "month"])))
    for _ in range(4):
        yield
    life.cancel(bought)
    yield
    yield
    yield
    life.buy(BASIC, offer=life.promotional(BASIC, life.dice.choice(["half", "month"])))


def returner(life):
    """Leaves, and comes back by a code, a win-back offer, another product, or as they were."""
    bought = life.subscribe(BASIC)
    yield
    yield
    yield
    life.cancel(bought)
    for _ in range(life.dice.choice([4, 5])):
        yield
    choice = life.dice.randrange(4)
    if choice == 0:
        life.buy(BASIC, offer={"kind": "CODE", "id": "BACK"})
    elif choice == 1 and life.environment.name == "sandbox":
        life.buy(BASIC, offer={"kind": "WIN_BACK", "id": "return"})
    elif choice == 2:
        life.subscribe(PRO)
    else:
        life.subscribe(BASIC)


def debtor(life):
    """A card that is declined: paid in time, too late, or never; or the customer leaves meanwhile."""
    product = life.dice.choice([PRO, BASIC, EXTRA])
    life.create()
    for _ in range(life.dice.randint(0, 3)):
        yield
    bought = life.subscribe(product)
    yield
    life.card("declinedForRenewals")
    choice = life.dice.randrange(5)
    while life.state(bought)["status"] == 1:
        yield
    if choice == 0:
        life.card("accepted")
    elif choice == 1:
        life.cancel(bought)
        yield
        if life.dice.random() < 0.5:
            life.card("accepted")
            life.subscribe(product)
    elif choice == 2:
        yield
        yield
        life.card("accepted")
    elif choice == 3:
        yield
        if life.state(bought)["status"] in (3, 4):
            life.cancel(bought)


def payer(life):
    """A price that rises with consent: given, refused, or never answered."""
    bought = life.subscribe(RISING)
    life.asked_for_consent.add(bought)
    choice = life.dice.randrange(4)
    while life.state(bought).get("priceIncrease", {}).get("stage") != "pending":
        yield
    yield
    if life.state(bought).get("priceIncrease", {}).get("stage") != "pending":
        return
    if choice == 0:
        life.act("price-increase/accept", bought)
    elif choice == 1:
        life.act("price-increase/decline", bought)
    elif choice == 2:
        life.cancel(bought)


def taker(life):
    """A price that rises without being asked, and a product that leaves the sale."""
    life.subscribe(NOTED)
    yield
    life.subscribe(LEAVING)


def returned(life):
    """Refunds of a subscription: all of it, what is unused, part; some taken back; and a new beginning."""
    bought = life.buy(PRO, offer=NO_OFFER)
    for _ in range(life.dice.randint(1, 4)):
        yield
    latest = life.call("GET", f"/subscriptions/{bought['originalTransactionId']}")["transactionId"]
    which = life.dice.choice([latest, bought["transactionId"]])
    share = life.dice.choice(["FULL", "UNUSED", "PART"] if which == latest else ["FULL", "PART"])
    life.refund(which, share=share, reason=life.dice.randint(0, 1),
                **({"percentage": 50_000} if share == "PART" else {}))
    yield
    if life.dice.random() < 0.5:
        life.reverse(which)
    elif life.state(bought["originalTransactionId"])["status"] == 5:
        life.subscribe(PRO)
    yield
    if life.state(bought["originalTransactionId"])["status"] == 1:
        life.act("extend", bought["originalTransactionId"], days=5)


def organizer(life):
    """Shares with a member, who sees copies; sharing ends in one of three ways."""
    member = life.member
    life.call("POST", "/families", {"organizer": life.name, "members": [member.name]})
    life.subscribe(life.dice.choice([PRO, BASIC]))
    forever = life.buy(FOREVER)["transactionId"]
    yield
    (entry,) = life.call("GET", f"/customers/{path_part(member.name)}/subscriptions")["subscriptions"]
    member.some_id = entry["transactionId"]
    yield
    yield
    yield
    choice = life.dice.randrange(3)
    if choice == 0:
        life.call("DELETE", f"/customers/{path_part(member.name)}/family")
    elif choice == 1:
        life.refund(forever)
    else:
        life.call("POST", f"/transactions/{life.some_id}/sharing", {"shared": False})


def member(life):
    """Only has what another shares."""
    life.create()
    yield


def longer(life):
    """An extension, and purchases of all other kinds beside."""
    bought = life.subscribe(PRO)
    life.buy(COINS)
    yield
    life.act("extend", bought, days=life.dice.randint(1, 30))
    life.buy(SOLO)
    yield
    life.finish(life.buy(COINS, quantity=2)["transactionId"])
    life.buy(EXTRA)
    yield
    life.buy(SEASON)


# Kind and how many of a hundred in each environment live so. A family counts twice.
KINDS = [(idler, 3), (gambler, 10), (redeemer, 5), (collector, 7), (trialist, 8), (climber, 7), (crosser, 4),
         (saver, 6), (bargainer, 6), (returner, 8), (debtor, 15), (payer, 7), (taker, 3), (returned, 6), (longer, 3)]
FAMILIES = 1


class World:
    """The lives of both environments of an app, lived round by round."""

    def __init__(self, app, seed):
        self.app = app
        self.signer = PromotionalOfferV2SignatureCreator(
            app.key["privateKey"].encode(), app.key["keyId"], app.issuer_id, app.bundle_id)
        self.dice = random.Random(seed)
        self.environments = [app.sandbox, app.production]
        self._sessions = threading.local()
        self.round = 0
        self.lives = [life for environment in self.environments for life in self._people(environment)]
        for environment in self.environments:
            environment.clock = Standing(environment.control("setClock", {"mode": "frozen", "at": START})["now"])
        self._set_grace(self.environments[0])

    def _people(self, environment):
        kinds = [kind for kind, count in KINDS for _ in range(count)] + [organizer] * FAMILIES
        for number, kind in enumerate(kinds):
            life = self._person(environment, f"{kind.__name__}-{number}", kind)
            if kind is organizer:
                life.member = self._person(environment, f"member-{number}", member)
                yield life.member
            yield life

    def _person(self, environment, name, kind):
        life = Life(self, environment, name, kind.__name__, random.Random(f"{self.dice.getrandbits(64)}"))
        life.acts = kind(life)
        return life

    def _set_grace(self, environment):
        """One environment has a grace period and the other has none; they change places once."""
        for other in self.environments:
            days = GRACE_DAYS if other is environment else 0
            other.control("setRules", {"grace": {"days": days}, "refundRule": "byHand"})

    def call(self, environment, method, path, body=None):
        """A call of control by the thread's own connection. Whatever is refused is a fault of the life."""
        if not hasattr(self._sessions, "session"):
            self._sessions.session = requests.Session()
        address = f"{self.app.control.address}/v1/apps/{self.app.bundle_id}/{environment.name}{path}"
        answer = self._sessions.session.request(method, address, json=body, timeout=60)
        assert answer.ok, f"{method} {path} {body}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def live(self):
        """Lives through a round, and yields after it; all look at whom they please before time goes on."""
        for self.round in range(ROUNDS):
            with ThreadPoolExecutor(THREADS) as pool:
                list(pool.map(lambda life: next(life.acts, None), self.lives))
            yield self.round
            self._between()
            if self.round < len(LEAPS):
                for environment in self.environments:
                    report = environment.control("advanceClock", {"by": f"P{LEAPS[self.round]}D"})
                    assert report["setAside"] == []
                    environment.clock.now = report["to"]

    def _between(self):
        """What concerns everybody."""
        if self.round == 1:
            for environment, price in zip(self.environments, (5_990, 6_990)):
                environment.control("raisePrice", {"price": price, "consent": "required"}, productId=RISING)
                environment.control("raisePrice", {"price": price, "consent": "notNeeded"}, productId=NOTED)
        if self.round == 2:
            self.app.control.call("setForSale", {"forSale": False}, bundleId=self.app.bundle_id, productId=LEAVING)
        if self.round == GRACE_SWITCHES:
            self._set_grace(self.app.production)
