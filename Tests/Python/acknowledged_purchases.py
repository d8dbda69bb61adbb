"""Clients with keep-alive connections, the purchases that a server acknowledged to them, and the comparison of these
with the histories of Apple's API."""

import asyncio
import json
import re
import time
from collections import Counter, defaultdict

from process_helpers import AppleKey, flat, path_part, payload

BUNDLE = "com.example.crash"
ENVIRONMENT = "sandbox"
SCOPE = f"/v1/apps/{BUNDLE}/{ENVIRONMENT}"


class Connection:
    """A keep-alive connection to a local port."""

    def __init__(self, port):
        self.port = port
        self.reader = self.writer = None
        # The header of the last answer, in lower case.
        self.head = b""

    async def request(self, method, path, body=None, headers=""):
        """Sends a request, and returns the status and the complete body. Raises OSError or EOFError if the answer is
        incomplete."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 22)
        if isinstance(body, (dict, list)):
            body, headers = json.dumps(body).encode(), headers + "Content-Type: application/json\r\n"
        body = body or b""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        self.head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        status = int(self.head[9:12])
        if length := re.search(rb"\r\ncontent-length: *(\d+)", self.head):
            return status, await self.reader.readexactly(int(length.group(1)))
        return status, await self.chunks() if b"transfer-encoding: chunked" in self.head else b""

    async def chunks(self):
        whole = b""
        while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
            whole += await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)
        return whole

    def close(self):
        if self.writer is not None:
            self.writer.close()
            self.writer = None


class Purchase:
    """A requested purchase. It is identified by its unit price, which is unique in a run."""

    def __init__(self, number, customer, product, quantity=1):
        self.customer = customer
        self.product = f"{BUNDLE}.{product}"
        self.quantity = quantity
        self.price = 1_000 + number
        self.sent = self.acknowledged = None
        self.answer = None
        self.is_replaced = False

    async def buy(self, connection):
        """Sends the request, stores the answer if the purchase was made, and returns the status and the body."""
        body = {
            "productId": self.product, "quantity": self.quantity, "price": self.price, "currency": "USD",
            "offer": {"kind": "NONE"},
        }
        self.sent = time.monotonic()
        path = f"{SCOPE}/customers/{path_part(self.customer)}/purchases?include=signed"
        status, answer = await connection.request("POST", path, body)
        self.acknowledged = time.monotonic()
        if status == 201:
            self.answer = flat(json.loads(answer))
        return status, answer


async def read_history(connection, key: AppleKey, any_id, query="", revision=None):
    """Reads all pages of a history. Returns the transactions and the revision at the end."""
    rows = []
    headers = f"Authorization: Bearer {key.token()}\r\n"
    while True:
        parameters = "&".join(filter(None, [query, f"revision={revision}" if revision else ""]))
        status, body = await connection.request("GET", f"/inApps/v2/history/{any_id}?{parameters}", headers=headers)
        assert status == 200, f"history of {any_id}: {status} {body[:300]!r}"
        page = json.loads(body)
        assert page["bundleId"] == key.bundle_id and page["environment"] == "Sandbox"
        signed = page["signedTransactions"]
        assert len(signed) <= 20 and (len(signed) == 20 or not page["hasMore"])
        rows += [payload(jws) for jws in signed]
        revision = page["revision"]
        if not page["hasMore"]:
            return rows, revision


async def read_histories(server, key, asked, workers=8):
    """Runs read_history for {name: (id, query, revision)}, several at the same time."""
    todo = list(asked.items())
    found = {}

    async def work():
        connection = Connection(server.ports[ENVIRONMENT])
        try:
            while todo:
                name, (any_id, query, revision) = todo.pop()
                found[name] = await read_history(connection, key, any_id, query, revision)
        finally:
            connection.close()

    await asyncio.gather(*(work() for _ in range(workers)))
    return found


class Books:
    """All purchases that were requested, acknowledged and found, over all rounds."""

    def __init__(self):
        self.by_customer = defaultdict(list)
        self.by_price = {}
        self.app_transactions = {}
        self.revisions = {}
        # The values that must not change, for each transaction in the histories, by transaction id.
        self.rows = {}
        self.orders = {}

    def enter(self, purchases):
        for purchase in purchases:
            self.by_customer[purchase.customer].append(purchase)
            assert self.by_price.setdefault(purchase.price, purchase) is purchase
            if purchase.answer:
                known = self.app_transactions.setdefault(purchase.customer, purchase.answer["appTransactionId"])
                assert known == purchase.answer["appTransactionId"], f"{purchase.customer} got a second id"

    def locate(self, server, customers):
        """Finds the customers without an acknowledged purchase. They may exist although nothing was acknowledged."""
        for customer in customers:
            if customer not in self.app_transactions:
                found = server.control("GET", f"{SCOPE}/customers/{path_part(customer)}", expect=(200, 404))
                if "appTransactionId" in found:
                    self.app_transactions[customer] = found["appTransactionId"]

    def compare(self, customer, rows, expected):
        """Compares a customer's history, or the end of it, with the purchases that it must contain."""
        problems = []
        ids = [row["transactionId"] for row in rows]
        if len(set(ids)) != len(ids):
            twice = [id_ for id_, times in Counter(ids).items() if times > 1]
            problems.append(f"{customer}: transactions are listed twice: {twice}")
        found = set()
        latest_sent = 0.0
        for row in rows:
            quantity = row["quantity"]
            purchase = self.by_price.get(row["price"] // quantity)
            if purchase is None or purchase.customer != customer:
                problems.append(f"{customer}: not requested: {row}")
                continue
            if purchase in found:
                problems.append(f"{customer}: a purchase is listed twice: {row}")
            found.add(purchase)
            found_values = (row["productId"], row["quantity"], row["price"], row["currency"], row["appTransactionId"])
            asked = (purchase.product, quantity, purchase.price * quantity, "USD", self.app_transactions[customer])
            if found_values != asked:
                problems.append(f"{customer}: requested {asked}, found {found_values}")
            if purchase.answer:
                problems += self.against_acknowledgement(purchase, row)
                # If a purchase was acknowledged before another was sent, it must come first. An upgraded transaction
                # moves, so it is an exception.
                if not row.get("isUpgraded"):
                    if purchase.acknowledged < latest_sent:
                        problems.append(f"{customer}: {row['transactionId']} comes after one that was sent later")
                    latest_sent = max(latest_sent, purchase.sent)
        for purchase in expected:
            if purchase.answer and purchase not in found:
                lost = f"{purchase.answer['transactionId']} ({purchase.product}, {purchase.price})"
                problems.append(f"{customer}: LOST {lost}")
        return problems

    @staticmethod
    def against_acknowledgement(purchase, row):
        changing = {"signedDate", "isUpgraded"}
        acknowledged = payload(purchase.answer["signedTransactionInfo"])
        before = {name: value for name, value in acknowledged.items() if name not in changing}
        after = {name: value for name, value in row.items() if name not in changing}
        problems = []
        if before != after:
            problems.append(f"{purchase.customer}: acknowledged {before}, found {after}")
        for name in ("transactionId", "originalTransactionId", "webOrderLineItemId"):
            if purchase.answer.get(name) != row.get(name):
                problems.append(f"{purchase.customer}: {name} was {purchase.answer.get(name)}, found {row.get(name)}")
        if purchase.is_replaced and row.get("isUpgraded") is not True:
            problems.append(f"{purchase.customer}: {row['transactionId']} was upgraded, but isUpgraded is missing")
        return problems

    def check_identifiers(self, server, customer, rows):
        """Checks that each id belongs to the same transaction in all rounds."""
        problems = []
        for row in rows:
            kept = (row["price"], row.get("webOrderLineItemId"), customer)
            if self.rows.setdefault(row["transactionId"], kept) != kept:
                problems.append(f"{row['transactionId']} was {self.rows[row['transactionId']]} and is {kept}")
            purchase = self.by_price.get(row["price"] // row["quantity"])
            if row["transactionId"] in self.orders or purchase is None:
                continue
            answer = purchase.answer or server.control("GET", f"{SCOPE}/transactions/{row['transactionId']}")
            self.orders[row["transactionId"]] = answer["orderId"]
        return problems

    def repeated_identifiers(self):
        """Every id of any kind that belongs to two objects. Acknowledged ids count even if their transaction was
        lost."""
        owners = {name: defaultdict(set) for name in ("transactionId", "webOrderLineItemId", "orderId")}
        for transaction, (price, line_item, _) in self.rows.items():
            owners["transactionId"][transaction].add(price)
            if line_item:
                owners["webOrderLineItemId"][line_item].add(transaction)
        for transaction, order in self.orders.items():
            owners["orderId"][order].add(transaction)
        for purchase in filter(lambda one: one.answer, self.by_price.values()):
            transaction = purchase.answer["transactionId"]
            owners["transactionId"][transaction].add(purchase.price * purchase.quantity)
            for name in {"orderId", "webOrderLineItemId"} & purchase.answer.keys():
                owners[name][purchase.answer[name]].add(transaction)
        accounts = Counter(self.app_transactions.values())
        return [
            f"{kind} {value} belongs to {sorted(map(str, used))}"
            for kind, values in owners.items() for value, used in values.items() if len(used) > 1
        ] + [f"appTransactionId {value} belongs to {n} customers" for value, n in accounts.items() if n > 1]
