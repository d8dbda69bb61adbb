"""Repeats recorded requests to an earlier version of Till, and compares the answers with the recorded answers.

Answers are recorded as normalized JSON: each JWS is replaced by its payload, and values that differ from answer to
answer are left out. `Replay` sends the requests again and returns the differences.
"""

import fnmatch
import hashlib
import itertools
import json
import re
from collections import namedtuple

import requests

from process_helpers import AppleKey, payload

JWS = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+")
# These values differ from answer to answer: nonces, and receipts. Receipts are compared by their verifyReceipt answers.
ALWAYS_DROPPED = {"deviceVerification", "deviceVerificationNonce", "latest_receipt"}
# These values are signed and stored, so later versions must send the same bytes.
STORED_TEXTS = {"signedPayload"}
# The paths that have another name since the recording.
RENAMED_PATHS = {r"^/v1/journal": "/v1/requests", r"/rules$": "/settings",
                 r"/clocks/([^/]+?)(/leap)?$": r"/clock?clock=\1", r"/clock/leap$": "/clock",
                 r"^/v1/ca/receipts$": "/v1/ca?receipts=true", r"/coming(?=\?|$)": "/upcoming-events",
                 r"/customers/([^/]+)/refund-requests$": r"/refund-requests?customer=\1",
                 r"/customers/([^/]+)/subscriptions$": r"/customers/\1"}
# The keys of answers of the control API that have another name since the recording.
RENAMED_KEYS = {"coming": "events"}
# The lists that are an array since the recording. They were an object with this key, and some also with the customer.
ARRAYS = {"apps", "certificates", "clocks", "endpoints", "faults", "heldPurchases", "jobs", "keys", "snapshots",
          "subscriptions", "teams", "tokens"}
# The keys that were added to answers of the control API since the recording.
ADDED_KEYS = {"availableActions"}
# The routes whose answers contain signed data only on request since the recording.
SIGNED_ON_REQUEST = re.compile(r"/(transactions|subscriptions)/\d+(\?|$)")
# These values are sealed with a key of the store, so another store returns other values.
SEALED = {"revision", "paginationToken"}


def normalized(value, drop=frozenset(), key=None):
    """The JSON without the values that differ from answer to answer."""
    if isinstance(value, dict):
        left = {name: inner for name, inner in value.items() if name not in drop and name not in ALWAYS_DROPPED}
        return {name: normalized(inner, drop, name) for name, inner in left.items()}
    if isinstance(value, list):
        return [normalized(inner, drop) for inner in value]
    if isinstance(value, str) and JWS.fullmatch(value):
        signed = {"payload": normalized(payload(value), drop)}
        if key in STORED_TEXTS:
            signed["sha256"] = hashlib.sha256(value.encode()).hexdigest()
        return signed
    return value


class Asker:
    """Sends requests to the ports of a server, with the tokens of the fixture's keys.

    Parameters: the server, the keys by bundle id, and a control token.
    """

    def __init__(self, server, keys, control_token=None):
        self.server = server
        self.keys = {app: AppleKey(key, app) for app, key in keys.items()}
        self.control_token = control_token
        self.session = requests.Session()

    def send(self, method, face, path, body=None, app=None):
        token = self.keys[app].token() if app else self.control_token if face == "control" else None
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.session.request(method, self.server.address(face) + path, json=body, headers=headers, timeout=60)

    def answer(self, entry):
        """Sends a recorded request, and returns the status and the JSON of the new answer."""
        answer = self.send(entry["method"], entry["face"], entry["path"], entry.get("body"), entry.get("app"))
        if "verify" in entry and answer.status_code == 200:
            # A newly signed receipt differs, so its verifyReceipt answer is compared instead.
            body = {"receipt-data": answer.json()["receipt"], "password": entry["verify"]["password"]}
            answer = self.send("POST", entry["verify"]["face"], "/verifyReceipt", body)
        if answer.headers.get("Content-Type") == "application/x-ndjson":
            return answer.status_code, counted_lines(answer.text)
        return answer.status_code, answer.json() if answer.content else None


def counted_lines(text) -> dict:
    """The number of rows of each table in an exported state."""
    counts, table = {}, None
    for line in text.splitlines():
        value = json.loads(line)
        if isinstance(value, dict):
            table = value.get("table")
        elif table:
            counts[table] = counts.get(table, 0) + 1
    return counts


# A value in an answer that differs from the recording. MISSING is the value of an absent key or element.
Difference = namedtuple("Difference", "request path old new")
MISSING = "(missing)"


def differences(request, old, new, path="$"):
    """All differences between two JSON values."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from differences(request, old.get(key, MISSING), new.get(key, MISSING), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        for place, (was, is_now) in enumerate(itertools.zip_longest(old, new, fillvalue=MISSING)):
            yield from differences(request, was, is_now, f"{path}[{place}]")
    elif type(old) is not type(new) or old != new:
        yield Difference(request, path, old, new)


class Replay:
    """Sends recorded requests again.

    A request may have `drop`, the keys that differ from answer to answer; `needs`, the parts of a data directory beyond
    the state of the apps on which the answer depends; and `verify`: the returned receipt is sent to verifyReceipt.

    `without` names the parts of the recorded server that this server lacks (the `needs` of the recorded requests). If
    `same_store` is false, the server seals revisions and tokens with another key, so its new values replace the
    recorded ones. If `every` is greater than 1, only one of so many requests is sent, and no further pages are read.
    """

    def __init__(self, asker, entries, without=(), same_store=True, every=1):
        self.asker = asker
        self.entries = [entry for entry in entries if entry.get("needs") not in without]
        if every > 1:
            first = [entry for entry in self.entries if not any(f"{key}=" in entry["path"] for key in SEALED)]
            self.entries = first[::every]
        self.same_store = same_store

    def run(self) -> list:
        found, sealed = [], {}
        for entry in self.entries:
            entry = json.loads(json.dumps(entry))
            request = f"{entry['method']} {entry['face']} {entry['path']}"
            for old, new in sealed.items():
                entry["path"] = entry["path"].replace(old, new)
            for old, new in RENAMED_PATHS.items():
                if entry["face"] == "control":
                    entry["path"] = re.sub(old, new, entry["path"])
            if entry["face"] == "control" and SIGNED_ON_REQUEST.search(entry["path"]):
                entry["path"] += ("&" if "?" in entry["path"] else "?") + "include=signed,device"
            if entry["face"] == "control" and isinstance(entry["answer"], dict):
                entry["answer"] = {RENAMED_KEYS.get(key, key): value for key, value in entry["answer"].items()}
                lists = entry["answer"].keys() - {"customer"}
                if len(lists) == 1 and lists <= ARRAYS:
                    entry["answer"] = entry["answer"][lists.pop()]
            if receipt := re.search(r"(/transactions/\d+)/receipt\?", entry["path"]):
                # The receipt of a transaction is one of its customer's receipts since the recording.
                scope = entry["path"][:receipt.start()]
                owner = self.asker.send("GET", "control", scope + receipt[1]).json()["customer"]
                id_ = receipt[1].rpartition("/")[2]
                entry["path"] = f"{scope}/customers/{owner}/receipt?transactionId={id_}&" + entry["path"][receipt.end():]
            status, answer = self.asker.answer(entry)
            if request.endswith("/subscriptions"):
                # The subscriptions of a customer are a part of the customer since the recording.
                answer = answer["subscriptions"]
            if request.endswith("/leap"):
                # The progress of an advance is a part of its clock since the recording.
                answer = {"isUnderWay": "advance" in answer}
            answer = normalized(answer, frozenset(entry.get("drop", ())) | ADDED_KEYS)
            if not self.same_store:
                self._exchange(entry["answer"], answer, sealed)
            found += differences(request, entry["status"], status, "status")
            found += differences(request, entry["answer"], answer)
        return found

    @staticmethod
    def _exchange(old, new, sealed):
        if not (isinstance(old, dict) and isinstance(new, dict)):
            return
        for key in SEALED & old.keys() & new.keys():
            sealed[old[key]] = new[key]
            new[key] = old[key]


class ExpectedDifferences:
    """Deliberate changes since a recording. Each has a `request`, a `path`, an `old` and a `new` value and a `reason`.
    In strings, `*` and `?` are wildcards, and brackets match themselves. A change with a `fixture` applies to that
    fixture only."""

    def __init__(self, entries, fixture=None):
        for entry in entries:
            assert set(entry) - {"fixture"} == {"request", "path", "old", "new", "reason"}, entry
            assert len(entry["reason"].split()) > 3 and entry["reason"].endswith("."), entry
        self.entries = [entry for entry in entries if entry.get("fixture", fixture) == fixture]
        self.used = set()

    def unexpected(self, found) -> list:
        """The differences that no expected difference explains."""
        return [difference for difference in found if not self._explains(difference)]

    def _explains(self, difference) -> bool:
        explained = False
        for number, entry in enumerate(self.entries):
            if all(_matches(getattr(difference, part), entry[part]) for part in ("request", "path", "old", "new")):
                self.used.add(number)
                explained = True
        return explained

    @property
    def unused(self) -> list:
        """The expected differences that explained nothing, and therefore no longer apply."""
        return [entry for number, entry in enumerate(self.entries) if number not in self.used]


def _matches(value, wanted) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return fnmatch.fnmatchcase(value, wanted.replace("[", "[[]"))
    return type(value) is type(wanted) and value == wanted
