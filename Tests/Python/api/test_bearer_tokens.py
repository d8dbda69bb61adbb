"""Authentication with wrong bearer tokens: the answer, and the reason in the request log."""

import base64
import hashlib
import hmac
import json
import time
import uuid

import jwt
import pytest
from appstoreserverlibrary.api_client import APIException
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from catalog_of_everything import COINS
from process_helpers import AppleKey, b64url
from shop_helpers import V2, App, now_ms

# Some routes report errors about the app with a code, and others do not.
LISTING = ["/inApps/v2/history/{}", "/inApps/v1/history/{}", "/inApps/v1/subscriptions/{}"]
SILENT = ["/inApps/v1/transactions/{}", "/inApps/v1/transactions/appTransactions/{}", "/inApps/v2/refund/lookup/{}",
          "/inApps/v1/refund/lookup/{}", "/inApps/v1/lookup/M123456789"]


@pytest.fixture(scope="module")
def known(app):
    return app.sandbox.buy("tokens", COINS).id


@pytest.fixture(scope="module")
def signer(app):
    """Creates signed tokens, also ones that no library would create."""
    return AppleKey(app.key, app.bundle_id)


def unauthenticated(environment, path, *words, token=..., headers=None, never=()):
    """Checks that the answer is Apple's 401, and that the request log has the reason without any secret."""
    answer = environment.send("GET", path, token=token, headers=headers)
    assert answer.status_code == 401, f"{answer.status_code} {answer.text}"
    assert answer.headers["Content-Type"] == "text/plain"
    request_id = answer.headers["X-Request-ID"]
    assert answer.text == f"Unauthenticated\n\nRequest ID: {request_id}\n"
    entry = environment.explain(answer)
    assert entry["status"] == 401 and "errorCode" not in entry
    assert entry["path"] == path and entry["method"] == "GET"
    for word in words:
        assert str(word).lower() in entry["explanation"].lower(), f"{word!r} is not in {entry['explanation']!r}"
    secrets = list(never)
    if isinstance(token, str):
        secrets += [part for part in token.split(".") if len(part) > 8]
    for secret in secrets:
        assert secret not in json.dumps(entry), "the request log contains the token"
    return entry


def everywhere(known):
    return [path.format(known) for path in LISTING + SILENT]


def test_a_valid_token_is_accepted_by_every_route(sandbox, known):
    for path in everywhere(known):
        assert sandbox.send("GET", path).status_code == 200


def test_the_official_client_gets_401_without_a_code(app, known):
    client = app.client("sandbox", key={**app.key, "keyId": "ABCDEFGHIJ"})
    with pytest.raises(APIException) as raised:
        client.get_transaction_history(known, None, TransactionHistoryRequest(), V2)
    assert (raised.value.http_status_code, raised.value.raw_api_error, raised.value.error_message) == (401, None, None)


def test_without_a_header(sandbox, known):
    for path in everywhere(known):
        unauthenticated(sandbox, path, "no Authorization header", token=None)


@pytest.mark.parametrize("header, word", [
    ("Basic dXNlcjpwYXNz", "Basic"), ("Bearer", "Bearer"), ("Bearer ", "Bearer"), ("", ""),
])
def test_a_header_that_is_not_bearer(sandbox, known, header, word):
    headers = {"Authorization": header}
    unauthenticated(sandbox, everywhere(known)[0], word, token=None, headers=headers, never=["dXNlcjpwYXNz"])


def test_a_token_without_its_scheme_is_not_stored_in_the_request_log(app, known):
    token = app.token()
    unauthenticated(app.sandbox, everywhere(known)[0], "Bearer", token=None, headers={"Authorization": token},
                    never=token.split("."))


def test_the_word_bearer_may_be_written_in_any_case(app, sandbox, known):
    for scheme in ("bearer", "BEARER", "Bearer "):
        headers = {"Authorization": f"{scheme} {app.token()}"}
        answer = sandbox.send("GET", everywhere(known)[0], token=None, headers=headers)
        assert answer.status_code == 200


@pytest.mark.parametrize("token", ["garbage", "a.b", "a.b.c", "..", "a.b.c.d", "!!!.???.###",
                                   "eyJhbGciOiJFUzI1NiJ9..AAAA"])
def test_garbage(sandbox, known, token):
    unauthenticated(sandbox, everywhere(known)[0], token=token)


def test_a_token_that_is_truncated_or_padded_or_whose_parts_are_no_json_objects(app, sandbox, signer, known):
    path = everywhere(known)[0]
    token = app.token()
    unauthenticated(sandbox, path, token=token[:-4])
    unauthenticated(sandbox, path, token=token + "==")
    unauthenticated(sandbox, path, token=signer.raw_token("[]", app.claims()))
    unauthenticated(sandbox, path, token=signer.raw_token(signer.header(), "[1]"))
    unauthenticated(sandbox, path, token=signer.raw_token(signer.header(), '{"iss":1,"iss":2}'))
    unauthenticated(sandbox, path, token=signer.raw_token(signer.header(), b"\xff\xfe{}"))


def test_alg_none(app, sandbox, known):
    claims = b64url(json.dumps(app.claims()).encode())
    for alg in ("none", "None", "NONE"):
        header = b64url(json.dumps({"alg": alg, "typ": "JWT", "kid": app.key["keyId"]}).encode())
        for signature in ("", app.token().split(".")[2]):
            unauthenticated(sandbox, everywhere(known)[0], alg, "ES256", token=f"{header}.{claims}.{signature}")


def test_hs256_with_the_public_key_as_the_secret(app, sandbox, known):
    public = app.private_key.public_key()
    for encoding, format_ in (
        (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
        (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo),
        (serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint),
    ):
        secret = public.public_bytes(encoding, format_)
        header = b64url(json.dumps({"alg": "HS256", "typ": "JWT", "kid": app.key["keyId"]}).encode())
        signed = f"{header}.{b64url(json.dumps(app.claims()).encode())}"
        mac = b64url(hmac.new(secret, signed.encode(), hashlib.sha256).digest())
        unauthenticated(sandbox, everywhere(known)[0], "HS256", "ES256", token=f"{signed}.{mac}")


def test_other_algorithms_and_a_missing_one(app, sandbox, signer, known):
    path = everywhere(known)[0]
    key = rsa.generate_private_key(65537, 2048)
    token = jwt.encode(app.claims(), key, algorithm="RS256", headers={"kid": app.key["keyId"]})
    unauthenticated(sandbox, path, "RS256", token=token)
    p384 = jwt.encode(app.claims(), ec.generate_private_key(ec.SECP384R1()), algorithm="ES384",
                      headers={"kid": app.key["keyId"]})
    unauthenticated(sandbox, path, "ES384", token=p384)
    for header in ({"kid": app.key["keyId"]}, {**signer.header(), "alg": "es256"}, {**signer.header(), "alg": 5}):
        unauthenticated(sandbox, path, "alg", token=signer.raw_token(header, app.claims()))


def test_a_header_that_demands_extensions(app, sandbox, signer, known):
    header = {**signer.header(), "crit": ["exp"]}
    unauthenticated(sandbox, everywhere(known)[0], "crit", token=signer.raw_token(header, app.claims()))


def test_the_explanation_of_an_unknown_kid_lists_the_valid_keys(app, sandbox, known):
    token = app.token(headers={"kid": "UNKNOWNKEY"})
    unauthenticated(sandbox, everywhere(known)[0], "UNKNOWNKEY", app.key["keyId"], token=token)


def test_a_missing_kid(app, sandbox, signer, known):
    for header in ({"alg": "ES256"}, {"alg": "ES256", "kid": ""}, {"alg": "ES256", "kid": 5}):
        unauthenticated(sandbox, everywhere(known)[0], "kid", token=signer.raw_token(header, app.claims()))


def test_a_signature_by_another_key(app, foreign_app, sandbox, known):
    token = app.token(key={**foreign_app.key, "keyId": app.key["keyId"]})
    unauthenticated(sandbox, everywhere(known)[0], app.key["keyId"], token=token)


def test_a_token_that_was_changed_afterwards(app, sandbox, known):
    header, claims, signature = app.token().split(".")
    changed = b64url(json.dumps(app.claims(exp=int(time.time()) + 301)).encode())
    unauthenticated(sandbox, everywhere(known)[0], token=f"{header}.{changed}.{signature}")
    der = base64.urlsafe_b64decode(signature + "==")
    for forged in (b"\0" * 64, der[32:] + der[:32], der[:-1] + bytes([der[-1] ^ 1]), der[:32], der + b"\0"):
        unauthenticated(sandbox, everywhere(known)[0], token=f"{header}.{claims}.{b64url(forged)}")


def test_a_key_of_another_team_with_the_bundle_of_this_one(app, foreign_app, sandbox, known):
    """The key is valid, but its team has no such app. Routes that list 4040003 return it, and others return 401."""
    token = app.token(key=foreign_app.key, iss=foreign_app.issuer_id)
    client = app.client("sandbox", key=foreign_app.key)
    for path in LISTING:
        entry = sandbox.check_error(sandbox.send("GET", path.format(known), token=token), 4040003)
        for word in (app.bundle_id, foreign_app.issuer_id, foreign_app.bundle_id):
            assert word in entry["explanation"]
    for path in SILENT:
        unauthenticated(sandbox, path.format(known), app.bundle_id, foreign_app.bundle_id, token=token)
    for call in (
        lambda: client.get_transaction_history(known, None, TransactionHistoryRequest(), V2),
        lambda: client.get_all_subscription_statuses(known),
    ):
        with pytest.raises(APIException) as raised:
            call()
        assert (raised.value.http_status_code, raised.value.raw_api_error) == (404, 4040003)


def test_a_key_of_another_team_that_claims_this_teams_issuer(app, foreign_app, sandbox, known):
    token = app.token(key=foreign_app.key)
    unauthenticated(sandbox, everywhere(known)[0], app.issuer_id, foreign_app.issuer_id, token=token)


def test_the_bundle_of_another_team(app, foreign_app, sandbox, known):
    token = app.token(bid=foreign_app.bundle_id)
    for path in LISTING:
        entry = sandbox.check_error(sandbox.send("GET", path.format(known), token=token), 4040003)
        assert foreign_app.bundle_id in entry["explanation"] and app.bundle_id in entry["explanation"]
    for path in SILENT:
        unauthenticated(sandbox, path.format(known), foreign_app.bundle_id, token=token)


def test_an_unknown_bundle(app, sandbox, known):
    token = app.token(bid="com.example.unknown")
    for path in LISTING:
        entry = sandbox.check_error(sandbox.send("GET", path.format(known), token=token), 4040003)
        assert "com.example.unknown" in entry["explanation"]
    for path in SILENT:
        unauthenticated(sandbox, path.format(known), "com.example.unknown", token=token)


def test_the_bundle_of_another_app_of_the_same_team_sees_only_its_own(app, other_app, sandbox, known):
    token = app.token(bid=other_app.bundle_id)
    for path in LISTING:
        sandbox.check_error(sandbox.send("GET", path.format(known), token=token), 4040010)


@pytest.mark.parametrize("bid", [None, "", 5, ["com.example.shop"], {"bid": "com.example.shop"}, True],
                         ids=["missing", "empty", "number", "array", "object", "true"])
def test_a_bundle_that_is_missing_or_malformed(app, sandbox, known, bid):
    token = app.token(bid=bid)
    for path in LISTING:
        entry = sandbox.check_error(sandbox.send("GET", path.format(known), token=token), 4000002)
        assert "bid" in entry["explanation"]
    for path in SILENT:
        unauthenticated(sandbox, path.format(known), "bid", token=token)


def test_the_official_client_gets_the_error_code_of_a_missing_bundle(app, known):
    client = app.client("sandbox", bundle_id=None)
    for call in (
        lambda: client.get_transaction_history(known, None, TransactionHistoryRequest(), V2),
        lambda: client.get_all_subscription_statuses(known),
    ):
        with pytest.raises(APIException) as raised:
            call()
        assert (raised.value.http_status_code, raised.value.raw_api_error) == (400, 4000002)
    with pytest.raises(APIException) as raised:
        client.get_transaction_info(known)
    assert (raised.value.http_status_code, raised.value.raw_api_error) == (401, None)


def test_a_revoked_key(app, control, sandbox, known):
    key = control.call("createKey", {"name": "short-lived", "issuerId": app.issuer_id})
    token = app.token(key=key)
    assert sandbox.send("GET", everywhere(known)[0], token=token).status_code == 200
    revoked = control.call("revokeKey", keyId=key["keyId"])
    assert abs(revoked["revokedDate"] - now_ms()) < 60_000
    for path in everywhere(known):
        unauthenticated(sandbox, path, "revoked", key["keyId"], app.key["keyId"], token=token)
    assert control.call("revokeKey", keyId=key["keyId"])["revokedDate"] == revoked["revokedDate"], "the date stays"
    assert sandbox.send("GET", everywhere(known)[0]).status_code == 200, "other keys still work"


@pytest.mark.parametrize("aud", [None, "", "appstoreconnect-v2", "AppStoreConnect-v1", [], 5,
                                 ["appstoreconnect-v1", "other"], ["other"]])
def test_a_wrong_audience(app, sandbox, known, aud):
    unauthenticated(sandbox, everywhere(known)[0], "aud", token=app.token(aud=aud))


def test_an_audience_in_an_array_of_one_is_valid(app, sandbox, known):
    token = app.token(aud=["appstoreconnect-v1"])
    assert sandbox.send("GET", everywhere(known)[0], token=token).status_code == 200


@pytest.mark.parametrize("iss", [None, "", 5, "not-a-uuid", str(uuid.UUID(int=7))])
def test_a_wrong_issuer(app, sandbox, signer, known, iss):
    token = signer.raw_token(signer.header(), app.claims(iss=iss))
    unauthenticated(sandbox, everywhere(known)[0], "iss", token=token)


def test_an_expired_token_says_how_long_ago(app, sandbox, known):
    now = int(time.time())
    entry = unauthenticated(sandbox, everywhere(known)[0], "expired", token=app.token(iat=now - 1000, exp=now - 500))
    assert any(str(seconds) in entry["explanation"] for seconds in range(500, 512))


def test_a_missing_or_invalid_expiry(app, sandbox, known):
    for exp in (None, "tomorrow", [], True):
        unauthenticated(sandbox, everywhere(known)[0], "exp", token=app.token(exp=exp))
    unauthenticated(sandbox, everywhere(known)[0], token=app.token(exp=-1))
    unauthenticated(sandbox, everywhere(known)[0], "exp", token=app.token(exp=10**15))


def test_an_expiry_more_than_an_hour_after_the_issue(app, sandbox, known):
    now = int(time.time())
    assert sandbox.send("GET", everywhere(known)[0], token=app.token(iat=now, exp=now + 3600)).status_code == 200
    unauthenticated(sandbox, everywhere(known)[0], "3601", "iat", token=app.token(iat=now, exp=now + 3601))
    unauthenticated(sandbox, everywhere(known)[0], token=app.token(iat=now - 3500, exp=now + 200))


def test_an_expiry_more_than_an_hour_ahead_without_an_issue_date(app, sandbox, known):
    now = int(time.time())
    assert sandbox.send("GET", everywhere(known)[0], token=app.token(iat=None, exp=now + 3590)).status_code == 200
    unauthenticated(sandbox, everywhere(known)[0], "no iat", token=app.token(iat=None, exp=now + 3700))
    unauthenticated(sandbox, everywhere(known)[0], "no iat", token=app.token(iat=None, exp=now + 86_400))


def test_an_issue_date_up_to_a_minute_in_the_future_is_accepted(app, sandbox, known):
    now = int(time.time())
    path = everywhere(known)[0]
    assert sandbox.send("GET", path, token=app.token(iat=now + 50, exp=now + 350)).status_code == 200
    unauthenticated(sandbox, path, "future", token=app.token(iat=now + 90, exp=now + 390))
    unauthenticated(sandbox, path, "future", token=app.token(iat=now + 86_400, exp=now + 86_700))


def test_fractional_dates_are_valid(app, sandbox, known):
    now = time.time()
    token = app.token(iat=now - 0.25, exp=now + 299.75)
    assert sandbox.send("GET", everywhere(known)[0], token=token).status_code == 200
    unauthenticated(sandbox, everywhere(known)[0], "expired", token=app.token(iat=now - 300.5, exp=now - 0.5))


def test_a_token_without_an_issue_date_and_one_with_extra_claims_are_valid(app, sandbox, signer, known):
    path = everywhere(known)[0]
    extra = {"nonce": str(uuid.uuid4()), "sub": "me", "scope": ["GET /"], "deep": {"er": [1, None]}}
    for token in (
        app.token(iat=None), app.token(**extra), app.token(headers={"typ": None}), app.token(headers={"x": "y"}),
        signer.raw_token({"kid": app.key["keyId"], "alg": "ES256"}, app.claims()),
    ):
        assert sandbox.send("GET", path, token=token).status_code == 200


def test_a_token_can_be_reused_and_works_in_both_environments(app, customer):
    token = app.token()
    for environment in (app.sandbox, app.production):
        bought = environment.buy(customer, COINS)
        for _ in range(2):
            assert environment.send("GET", f"/inApps/v2/history/{bought.id}", token=token).status_code == 200


def test_a_key_for_offers_does_not_authenticate_api_requests(server, control, team, sandbox, known):
    """A StoreKit file may contain a key pair for promotional offers. This key does not authenticate API requests."""
    private = ec.generate_private_key(ec.SECP256R1())
    der = private.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    app = App(server, control, "com.example.offerkey", None, team)
    summary = control.call("importStoreKitFile", {
        "products": [], "subscriptionGroups": [], "settings": {}, "version": {"major": 4, "minor": 0},
        "subscriptionOffersKeyPair": {"id": "0FF3FF3C", "privateKey": base64.b64encode(der).decode()},
    }, bundleId=app.bundle_id)
    assert summary["offerKeyId"] == "0FF3FF3C"
    token = jwt.encode(app.claims(), private, algorithm="ES256", headers={"kid": "0FF3FF3C"})
    for path in everywhere(known):
        unauthenticated(app.sandbox, path, "0FF3FF3C", "offers", token=token)
    (listed,) = [key for key in control.call("listKeys") if key["keyId"] == "0FF3FF3C"]
    assert listed["offersOf"] == app.bundle_id


def test_a_very_long_token_is_rejected(app, sandbox, signer, known):
    token = signer.raw_token(signer.header(), {**app.claims(), "padding": "x" * 20_000})
    unauthenticated(sandbox, everywhere(known)[0], token=token)
