"""verifyReceipt with independent clients and verifiers: their requests, dates, signatures, and common mistakes.

Tests/TillServerTests/API checks every status, the formats of requests, the lists of transactions and the secrets.
"""

import base64
import json
import re
import uuid
from types import SimpleNamespace

import inapppy
import itunesiap
import pytest
from asn1crypto import cms
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from catalog_of_everything import BASIC, CATALOG, COINS, FOREVER, PRO
from process_helpers import run_till
from receipt_checks import Examiner, ask, attributes, renderings
from shop_helpers import DAY, NO_OFFER, App, now_ms

# These keys of a receipt have the date of the answer instead of that of the receipt.
REQUEST_DATES = ("request_date", "request_date_ms", "request_date_pst")
SANDBOX_DOWNLOAD = 1_375_340_400_000
APP_KEYS = {
    "receipt_type", "adam_id", "app_item_id", "bundle_id", "application_version", "download_id",
    "version_external_identifier", "receipt_creation_date", "receipt_creation_date_ms", "receipt_creation_date_pst",
    *REQUEST_DATES, "original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst",
    "original_application_version", "in_app",
}
def receipt_of(environment, customer, **query) -> str:
    return environment.control("getReceipt", query=query or None, customer=customer)["receipt"]


def single_of(environment, transaction) -> str:
    owner = environment.control("getTransaction", transactionId=transaction)["customer"]
    return receipt_of(environment, owner, transactionId=transaction)


def secret_of(app, value=None) -> str:
    wish = {} if value is None else {"sharedSecret": value}
    answer = app.control.call("setSharedSecret", wish, bundleId=app.bundle_id)
    assert answer["from"] == "app"
    return answer["sharedSecret"]


def payload_of(receipt) -> bytes:
    return cms.ContentInfo.load(base64.b64decode(receipt))["content"]["encap_content_info"]["content"].native


def raw_attributes(receipt) -> dict:
    """The attributes of a receipt by type, without its purchases."""
    return {type_: value for type_, _, value in attributes(payload_of(receipt)) if type_ != 17}


@pytest.fixture(scope="module")
def shop(server, control, team, tmp_path_factory):
    """An app with a shared secret. In each environment, ann has a subscription and coins, and bob has coins."""
    app = App(server, "com.example.receipts", 3_100_000_000, team, CATALOG)
    secret = secret_of(app)
    for environment in (app.sandbox, app.production):
        environment.buy("ann", PRO)
        environment.buy("ann", COINS)
        environment.buy("bob", COINS)
    examiner = Examiner(control, tmp_path_factory.mktemp("root"))
    return SimpleNamespace(app=app, secret=secret, sandbox=app.sandbox, production=app.production, examiner=examiner)


def request_log(control) -> list:
    return control.call("listRequests", query={"limit": 100})["entries"]


def environments_asked(control, before) -> list:
    """The environments and statuses of the verifyReceipt errors that the earlier request log does not have."""
    return [(entry["environment"], entry["errorCode"]) for entry in request_log(control)
            if entry not in before and entry["path"] == "/verifyReceipt"]


def test_itunes_iap_goes_from_production_to_the_sandbox(shop, control, monkeypatch):
    monkeypatch.setattr(itunesiap.Request, "PRODUCTION_VALIDATION_URL", shop.production.base + "/verifyReceipt")
    monkeypatch.setattr(itunesiap.Request, "SANDBOX_VALIDATION_URL", shop.sandbox.base + "/verifyReceipt")
    before = request_log(control)
    receipt = receipt_of(shop.sandbox, "ann")
    found = itunesiap.verify(receipt, shop.secret, env=itunesiap.env.review)
    assert environments_asked(control, before) == [("Production", 21007)]
    assert found.status == 0 and found.receipt.bundle_id == shop.app.bundle_id
    assert {item.product_id for item in found.receipt.in_app} == {PRO, COINS}
    for item in found.receipt.in_app:
        assert item.is_trial_period is False and item.quantity == 1
        assert item.purchase_date.timestamp() * 1000 == item.purchase_date_ms
    assert {item.product_id for item in found.latest_receipt_info} == {PRO, COINS}
    (pending,) = found.pending_renewal_info
    assert pending.auto_renew_status == 1 and pending.auto_renew_product_id == PRO
    again = itunesiap.verify(found.latest_receipt, shop.secret, env=itunesiap.env.sandbox)
    assert again.receipt.bundle_id == shop.app.bundle_id
    straight = itunesiap.verify(receipt_of(shop.production, "ann"), shop.secret, env=itunesiap.env.review)
    assert straight["receipt"]["receipt_type"] == straight["environment"] == "Production"
    with pytest.raises(itunesiap.exc.InvalidReceipt) as refused:
        itunesiap.verify(receipt, "wrong", env=itunesiap.env.review)
    assert refused.value.status == 21004


@pytest.fixture
def validator(shop, monkeypatch):
    """inapppy's validator, with its two addresses set to those of the server."""
    def choose(self):
        self.url = (shop.sandbox if self.sandbox else shop.production).base + "/verifyReceipt"

    monkeypatch.setattr(inapppy.AppStoreValidator, "_change_url_by_sandbox", choose)
    return inapppy.AppStoreValidator(auto_retry_wrong_env_request=True)


def test_inapppy_goes_from_production_to_the_sandbox_and_back(shop, control, validator):
    before = request_log(control)
    found = validator.validate(receipt_of(shop.sandbox, "ann"), shop.secret, exclude_old_transactions=True)
    assert found["status"] == 0 and found["environment"] == "Sandbox" and validator.sandbox
    assert found["latest_receipt_info"] and found["pending_renewal_info"]
    found = validator.validate(receipt_of(shop.production, "ann"), shop.secret)
    assert found["environment"] == "Production" and not validator.sandbox
    assert sorted(environments_asked(control, before)) == [("Production", 21007), ("Sandbox", 21008)]
    for receipt, secret, words in (("garbage", None, "Bad data"),
                                   (receipt_of(shop.production, "ann"), "wrong", "Shared secret mismatch")):
        with pytest.raises(inapppy.InAppPyValidationError, match=words):
            validator.validate(receipt, secret)


def test_21010_an_unknown_app_or_customer(serve, tmp_path):
    """The copy of a shop has the same root, but not the data that was added later."""
    till = serve()
    app = App(till, "com.example.first", 81, None, CATALOG)
    app.sandbox.buy("ann", COINS)
    receipt_of(app.sandbox, "ann")
    app.control.call("createBackup", {"to": str(tmp_path / "copy")})
    copy = serve(data=tmp_path / "copy")
    late = App(till, "com.example.late", 82, app.issuer_id, CATALOG)
    late.sandbox.buy("ann", COINS)
    bought = app.sandbox.buy("bob", COINS)
    base = SimpleNamespace(base=copy.address("sandbox"))
    for receipt in (receipt_of(late.sandbox, "ann"), receipt_of(app.sandbox, "bob"), single_of(app.sandbox, bought.id)):
        assert ask(app.sandbox, receipt)["status"] == 0
        answer = ask(base, receipt)
        assert answer == {"status": 21010, "environment": "Sandbox", "is_retryable": False}
        assert answer["is_retryable"] is False
    assert ask(base, receipt_of(app.sandbox, "ann"))["status"] == 0


def test_the_latest_receipt_is_of_the_same_app_and_device(shop, customer):
    device = str(uuid.uuid4())
    for environment in (shop.sandbox, shop.production):
        with environment.on_clock(customer, now_ms() - 40 * DAY) as clock:
            environment.buy(customer, PRO)
            sent = receipt_of(environment, customer, deviceId=device)
            clock.advance(to=now_ms())
        before = raw_attributes(sent)
        answer = ask(environment, sent, shop.secret)
        after = raw_attributes(answer["latest_receipt"])
        assert {type_ for type_ in before if before[type_] != after[type_]} == {12}
        assert set(before) == set(after) and len(after[4]) == 16 and len(after[5]) == 20
        again = ask(environment, answer["latest_receipt"], shop.secret)
        for key in ("latest_receipt_info", "pending_renewal_info"):
            assert again[key] == answer[key]
        assert len(again["receipt"]["in_app"]) == 2
        verifier = shop.examiner.verifier
        payload = verifier.verify_receipt(answer["latest_receipt"]).payload
        assert payload.opaque_value == after[4]


@pytest.mark.parametrize("instant, gmt, pacific", [
    (1_772_963_999_999, "2026-03-08 09:59:59 Etc/GMT", "2026-03-08 01:59:59 America/Los_Angeles"),
    (1_772_964_000_000, "2026-03-08 10:00:00 Etc/GMT", "2026-03-08 03:00:00 America/Los_Angeles"),
    (1_793_523_599_999, "2026-11-01 08:59:59 Etc/GMT", "2026-11-01 01:59:59 America/Los_Angeles"),
    (1_793_523_600_000, "2026-11-01 09:00:00 Etc/GMT", "2026-11-01 01:00:00 America/Los_Angeles"),
    (1_215_734_400_000, "2008-07-11 00:00:00 Etc/GMT", "2008-07-10 17:00:00 America/Los_Angeles"),
    (1_709_208_000_500, "2024-02-29 12:00:00 Etc/GMT", "2024-02-29 04:00:00 America/Los_Angeles"),
    (4_070_908_799_001, "2098-12-31 23:59:59 Etc/GMT", "2098-12-31 15:59:59 America/Los_Angeles"),
])
def test_dates_have_three_formats(shop, customer, instant, gmt, pacific):
    """The dates are on each side of both changes of daylight saving time, and far in the future. The receipt is valid
    at its own date."""
    for environment in (shop.sandbox, shop.production):
        clock = environment.on_clock(customer, instant)
        with clock:
            environment.control("buyProduct", {"productId": PRO}, customer=customer)
            receipt = receipt_of(environment, customer)
            answer = ask(environment, receipt, shop.secret)
        receipts = answer["receipt"]
        assert [receipts[key] for key in REQUEST_DATES] == [gmt, str(instant), pacific]
        for element, key in ((receipts, "receipt_creation_date"), (receipts["in_app"][0], "purchase_date"),
                             (answer["latest_receipt_info"][0], "purchase_date"),
                             (answer["latest_receipt_info"][0], "original_purchase_date")):
            whole = instant // 1000 * 1000
            assert [element[key], element[f"{key}_ms"], element[f"{key}_pst"]] == [gmt, str(whole), pacific]
        for text in (receipt, answer["latest_receipt"]):
            shop.examiner.verified_by_openssl(text, instant // 1000)
            assert shop.examiner.rendered(environment, text)["status"] == 0


@pytest.fixture(scope="module")
def checked(shop):
    """Ann's receipt with its answer in each environment, and a customer with purchases of all kinds."""
    found = SimpleNamespace()
    for environment in (shop.sandbox, shop.production):
        receipt = receipt_of(environment, "ann")
        answer = ask(environment, receipt, shop.secret)
        setattr(found, environment.name, SimpleNamespace(receipt=receipt, answer=answer))
    environment = shop.sandbox
    basic = environment.buy("eve", BASIC, offer=NO_OFFER)
    environment.buy("eve", PRO)
    environment.refund(environment.buy("eve", FOREVER).id, reason=1)
    environment.refund(environment.buy("eve", COINS).id)
    environment.buy("eve", COINS, finished=True)
    environment.buy("eve", COINS)
    found.eve = ask(environment, receipt_of(environment, "eve"), shop.secret)
    found.basic = basic
    return found


def leaves(value):
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    return [leaf for inner in value for leaf in leaves(inner)] if isinstance(value, list) else [value]


def test_values_have_the_type_and_the_rendering_of_the_app_store(shop, checked):
    ids = ["adam_id", "app_item_id", "download_id", "version_external_identifier"]
    for answer in (checked.sandbox.answer, checked.production.answer):
        assert all(type(answer["receipt"][key]) is int for key in ids) and type(answer["status"]) is int
        rest = {key: value for key, value in answer["receipt"].items() if key not in ids}
        texts = leaves([rest, answer["latest_receipt_info"], answer["pending_renewal_info"]])
        assert all(type(leaf) is str for leaf in texts)
    assert checked.eve["latest_receipt_info"][0]["is_trial_period"] == "false"
    assert checked.eve["pending_renewal_info"][0]["auto_renew_status"] == "1"
    july = renderings("x", 1_594_755_400_000)
    assert july["x_pst"] == "2020-07-14 12:36:40 America/Los_Angeles"
    receipt = checked.sandbox.answer["receipt"]
    assert receipt["original_purchase_date_pst"] == "2013-08-01 00:00:00 America/Los_Angeles"
    assert [receipt[key] for key in ids] == [0] * 4
    assert receipt["original_application_version"] == "1.0"
    assert receipt["original_purchase_date_ms"] == str(SANDBOX_DOWNLOAD)
    receipt = checked.production.answer["receipt"]
    assert receipt["adam_id"] == receipt["app_item_id"] == shop.app.apple_id and receipt["download_id"] > 0
    assert int(receipt["original_purchase_date_ms"]) > SANDBOX_DOWNLOAD


def test_a_receipt_is_laid_out_and_signed_as_the_app_store_does_it(shop, checked):
    for environment in (checked.sandbox, checked.production):
        shop.examiner.taken_apart(environment.receipt)
        shop.examiner.taken_apart(environment.answer["latest_receipt"])
    answer = ask(shop.sandbox, checked.sandbox.receipt, shop.secret, **{"exclude-old-transactions": True})
    sent, latest = raw_attributes(checked.sandbox.receipt), raw_attributes(answer["latest_receipt"])
    assert (sent[4], sent[5]) == (latest[4], latest[5]) and sent[12] <= latest[12]
    signed = cms.ContentInfo.load(base64.b64decode(checked.sandbox.receipt))["content"]
    (signer,) = signed["signer_infos"]
    assert signer["signature_algorithm"].dump().hex() == "300d06092a864886f70d0101010500"
    assert signer["digest_algorithm"].dump().hex() == "300d06096086480165030402010500"
    assert [version for type_, version, _ in attributes(payload_of(checked.sandbox.receipt)) if type_ == 4] == [2]


def test_a_receipt_has_the_hash_of_its_device(shop):
    device = uuid.uuid4()
    raw = raw_attributes(receipt_of(shop.sandbox, "ann", deviceId=str(device)))
    digest = hashes.Hash(hashes.SHA1())
    digest.update(device.bytes + raw[4] + raw[2])
    assert raw[2][0] == 0x0C and raw[5] == digest.finalize()


def test_attributes_that_do_not_apply_are_empty_in_a_receipt_and_absent_in_the_answer(checked):
    raw = payload_of(checked.sandbox.receipt)
    purchases = [dict((number, content) for number, _, content in attributes(value))
                 for type_, _, value in attributes(raw) if type_ == 17]
    for purchase in purchases:
        assert purchase[1712] == b"\x16\x00"
        is_consumable = purchase[1707] == b"\x02\x01\x01"
        assert is_consumable == (purchase[1708] == b"\x16\x00") == (purchase[1711] == b"\x02\x01\x00")
    (coins,) = [item for item in checked.sandbox.answer["receipt"]["in_app"] if item["product_id"] == COINS]
    assert not {"expires_date", "cancellation_date", "web_order_line_item_id"} & set(coins)
    # The attributes 9, 10, 11, 13, 14, 20, 25, 1709, 1710, 1714-1718 and 1722 have no key and cause no error.
    raw = raw_attributes(checked.production.receipt)
    assert {9, 10, 11, 13, 14, 20, 25} <= set(raw) and not {6, 7} & set(raw)
    assert set(checked.production.answer["receipt"]) == APP_KEYS


def test_the_lists_have_the_transactions_and_marks_of_the_app_store(shop, checked):
    elements = checked.eve["latest_receipt_info"]
    upgraded = [item["transaction_id"] for item in elements if item.get("is_upgraded") == "true"]
    assert upgraded == [checked.basic.id] and {item.get("is_upgraded") for item in elements} == {None, "true"}
    for item in elements:
        assert ("cancellation_date" in item) == ("cancellation_reason" in item) == (item["product_id"] == FOREVER)
    for elements in (checked.eve["latest_receipt_info"], checked.eve["receipt"]["in_app"]):
        assert sorted(item["product_id"] for item in elements) == sorted([BASIC, PRO, FOREVER, COINS])
    lists = {"latest_receipt", "latest_receipt_info", "pending_renewal_info"}
    assert lists <= set(checked.sandbox.answer)
    assert not lists & set(ask(shop.sandbox, receipt_of(shop.sandbox, "bob"), shop.secret))


PAIR = re.compile(r'\t"([\w-]+)" = "([^"]*)";\n')
SINGLE_KEYS = {
    "original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst", "unique_identifier",
    "original_transaction_id", "bvrs", "transaction_id", "quantity", "unique_vendor_identifier", "product_id",
    "item_id", "bid", "purchase_date", "purchase_date_ms", "purchase_date_pst",
}
PERIOD_KEYS = {"web_order_line_item_id", "expires_date", "expires_date_formatted", "expires_date_formatted_pst"}


def property_list(text) -> dict:
    assert text.startswith("{\n") and text.endswith("}")
    return dict(PAIR.findall(text))


def test_a_single_receipt_has_the_historical_signature(shop, customer):
    for environment in (shop.sandbox, shop.production):
        bought = environment.buy(customer, PRO)
        text = single_of(environment, bought.id)
        assert shop.examiner.utility.extract_transaction_id_from_transaction_receipt(text) == bought.id
        outer = property_list(base64.b64decode(text).decode())
        assert outer.get("environment") == ("Sandbox" if environment is shop.sandbox else None)
        assert (outer["pod"], outer["signing-status"]) == ("100", "0")
        info = base64.b64decode(outer["purchase-info"])
        inner = property_list(info.decode())
        assert inner["transaction-id"] == inner["original-transaction-id"] == bought.id
        assert inner["expires-date"] == str(bought.payload["expiresDate"])
        assert inner["bid"] == shop.app.bundle_id and inner["product-id"] == PRO
        seal = base64.b64decode(outer["signature"])
        length = int.from_bytes(seal[129:133])
        assert seal[0] == 2 and len(seal) == 133 + length
        certificate = x509.load_der_x509_certificate(seal[133:])
        assert certificate.public_key().key_size == 1024
        certificate.public_key().verify(seal[1:129], b"\x02" + info, padding.PKCS1v15(), hashes.SHA1())


def test_the_answer_to_a_single_receipt_is_flat(shop, customer):
    environment = shop.sandbox
    bought = environment.buy(customer, PRO)
    answer = ask(environment, single_of(environment, bought.id), shop.secret)
    assert set(answer) == {"status", "receipt", "auto_renew_status", "auto_renew_product_id", "latest_receipt_info",
                           "latest_receipt"}
    assert answer["status"] == 0 and answer["auto_renew_status"] == 1 and answer["auto_renew_product_id"] == PRO
    for element in (answer["receipt"], answer["latest_receipt_info"]):
        assert set(element) == SINGLE_KEYS | PERIOD_KEYS and all(type(value) is str for value in element.values())
        expires = renderings("x", bought.payload["expiresDate"])
        assert element["expires_date"] == expires["x_ms"]
        assert element["expires_date_formatted"] == expires["x"]
        assert element["expires_date_formatted_pst"] == expires["x_pst"]
        assert element["transaction_id"] == bought.id
        assert element["web_order_line_item_id"] == bought.payload["webOrderLineItemId"]
    again = ask(environment, answer["latest_receipt"], shop.secret)
    assert again["receipt"] == answer["latest_receipt_info"]
    found = itunesiap.receipt.Response(answer)
    assert found.receipt.last_in_app.product_id == PRO


def till(shop, *arguments):
    return run_till(*arguments, "--control", shop.app.control.address, code=0).stdout


def scope(shop, *more) -> list:
    return ["--app", shop.app.bundle_id, "--environment", "sandbox", *more]


def test_the_command_prints_receipts(shop, tmp_path):
    printed = till(shop, "receipt", "--customer", "ann", *scope(shop)).strip()
    assert ask(shop.sandbox, printed, shop.secret)["status"] == 0
    file = tmp_path / "receipt.der"
    assert till(shop, "receipt", "--customer", "ann", "--out", file, *scope(shop)).startswith("Wrote ")
    assert ask(shop.sandbox, base64.b64encode(file.read_bytes()).decode(), shop.secret)["status"] == 0
    root = tmp_path / "root.pem"
    till(shop, "ca", "export", root, "--receipts")
    assert root.read_text().strip() == shop.examiner.pem.strip()
    bought = shop.sandbox.buy("bob", COINS).id
    printed = till(shop, "receipt", "--transaction", bought, *scope(shop)).strip()
    assert printed == single_of(shop.sandbox, bought)
    handed = json.loads(till(shop, "buy", COINS, "--customer", "bob", "--json", *scope(shop)))
    assert ask(shop.sandbox, handed["transaction"]["device"]["appReceipt"])["status"] == 0
    for wrong in ([], ["--customer", "ann", "--transaction", bought]):
        assert run_till("receipt", *wrong, *scope(shop), "--control", shop.app.control.address).returncode != 0


def test_the_command_keeps_secrets(shop, new_app):
    named = ["--app", new_app.bundle_id]
    new_app.sandbox.buy("ann", PRO)
    receipt = receipt_of(new_app.sandbox, "ann")
    show = ["secret", "show", *named, "--control", shop.app.control.address]
    assert "No shared secret is set" in run_till(*show).stderr
    made = till(shop, "secret", "create", *named).strip()
    assert till(shop, "secret", "show", *named).strip() == made
    assert ask(new_app.sandbox, receipt, made)["status"] == 0
    assert till(shop, "secret", "create", "--value", "abc123", *named).strip() == "abc123"
    assert ask(new_app.sandbox, receipt, "abc123")["status"] == 0
    till(shop, "secret", "delete", "--yes", *named)
    assert run_till(*show).returncode == 1


