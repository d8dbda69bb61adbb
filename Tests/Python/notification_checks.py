"""Checks of notifications: verification with Apple's verifier, paging through the history, and the app's clock."""

import itertools
import re

import payload_rules
from process_helpers import wait_until
from shop_helpers import DAY, Signed, models, now_ms

SUBJECTS = {"data", "appData", "summary", "externalPurchaseToken"}
HEAD = ("notificationType", "subtype", "notificationUUID", "version", "signedDate")
DATA = {"appAppleId", "bundleId", "bundleVersion", "environment", "signedTransactionInfo", "signedRenewalInfo",
        "status", "consumptionRequestReason"}


class Notice(Signed):
    """A verified notification, with its decoded signed data."""

    def __init__(self, jws, payload, decoded, transaction, renewal):
        super().__init__(jws, payload, decoded)
        self.transaction, self.renewal = transaction, renewal

    @property
    def words(self) -> str:
        """The notification type and subtype, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`."""
        return "/".join(filter(None, (self["notificationType"], self.get("subtype"))))


def notification(environment, jws) -> Notice:
    """Verifies a notification and its signed data with Apple's verifier, and checks them against the payload rules."""
    decoded = environment.verifier.verify_and_decode_notification(jws)
    header, payload = payload_rules.decode(jws)
    payload_rules.check_header(header)
    payload_rules.no_nulls(payload)
    (subject,) = SUBJECTS & set(payload)
    assert set(payload) - set(HEAD) == {subject}
    assert payload["version"] == "2.0" and payload_rules.UUID.fullmatch(payload["notificationUUID"])
    payload_rules.same_as_decoded(payload, decoded, but=SUBJECTS)
    assert getattr(decoded, subject) is not None
    about = payload[subject]
    if subject != "externalPurchaseToken":
        assert about["environment"] == environment.wire_name
    assert about["bundleId"] == environment.app.bundle_id and about["appAppleId"] == environment.app.apple_id
    transaction = renewal = None
    if subject == "data":
        assert not set(about) - DATA, about
        if inner := about.get("signedTransactionInfo"):
            decoded_inner = environment.verifier.verify_and_decode_signed_transaction(inner)
            transaction = Signed(inner, payload_rules.decode(inner)[1], decoded_inner)
            payload_rules.check_transaction(transaction.payload, environment.wire_name)
            assert transaction["signedDate"] == payload["signedDate"]
            is_subscription = transaction["type"] == payload_rules.SUBSCRIPTION
            assert ("status" in about) == ("signedRenewalInfo" in about) == is_subscription
        if inner := about.get("signedRenewalInfo"):
            decoded_inner = environment.verifier.verify_and_decode_renewal_info(inner)
            renewal = Signed(inner, payload_rules.decode(inner)[1], decoded_inner)
            payload_rules.check_renewal_info(renewal.payload, environment.wire_name)
            assert renewal["originalTransactionId"] == transaction["originalTransactionId"]
            assert renewal["signedDate"] == payload["signedDate"]
    return Notice(jws, payload, decoded, transaction, renewal)


# Time and receivers ---------------------------------------------------------------------------------------------------


def listen(environment, post, name="primary", **options):
    """Sets a receiver as the endpoint of the environment's notifications."""
    environment.control("setEndpoint", {"url": post.url, **options}, endpoint=name)


def freeze(environment) -> int:
    """Freezes the environment's clock, and returns the clock's time."""
    return environment.control("setClock", {"mode": "frozen"})["now"]


def advance(environment, by, settle=60) -> dict:
    return environment.control("advanceClock", {"by": by}, query={"settle": settle})


def settled(environment, count, **filters):
    """Waits until this number of notifications have an attempt, and returns the history."""
    def attempted():
        items = history(environment, **filters)
        assert len(items) <= count, [item.notice.words for item in items]
        return items if len(items) == count else None
    return wait_until(attempted)


# History --------------------------------------------------------------------------------------------------------------


class Item:
    """A notification in the notification history."""

    def __init__(self, notice, attempts):
        self.notice = notice
        self.results = [attempt.rawSendAttemptResult for attempt in attempts]
        self.dates = [attempt.attemptDate for attempt in attempts]


def body(**changes) -> dict:
    """The body of a request for everything since last week. A change to None removes a key."""
    now = now_ms()
    whole = {"startDate": now - 7 * DAY, "endDate": now + 60_000, **changes}
    return {key: value for key, value in whole.items() if value is not None}


def request(**filters):
    """The request for Apple's client with the same content."""
    for key, kind in (("notificationType", models.NotificationTypeV2), ("notificationSubtype", models.Subtype)):
        if key in filters:
            filters[key] = kind(filters[key])
    return models.NotificationHistoryRequest(**body(**filters))


def pages(environment, **filters):
    """Reads every page of the history with Apple's client."""
    wanted, token = request(**filters), None
    for number in itertools.count():
        page = environment.client.get_notification_history(token, wanted)
        assert isinstance(page.hasMore, bool) and len(page.notificationHistory) <= 20
        assert (page.paginationToken is not None) == page.hasMore
        assert not page.hasMore or len(page.notificationHistory) == 20
        yield page
        if not page.hasMore:
            return
        token = page.paginationToken
        assert re.fullmatch(r"[\w-]{56}", token) and number < 1_000


def history(environment, **filters) -> list:
    """All items of the history, verified."""
    items = [item for page in pages(environment, **filters) for item in page.notificationHistory]
    found = [Item(notification(environment, item.signedPayload), item.sendAttempts) for item in items]
    dates = [item.notice["signedDate"] for item in found]
    assert dates == sorted(dates)
    return found


def words(items) -> list:
    return [item.notice.words for item in items]
