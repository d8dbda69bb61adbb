"""A fake App Store server as teams write it for their tests: transactions in memory, signatures with PyJWT.

It answers one route, Get Transaction History, as Flask's own server does out of the box. The certificates in its header
are random bytes of the usual length.
"""

import base64
import json
import os
import socket
import sys
import time
import uuid
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from flask import Flask, abort, jsonify, request
from werkzeug.serving import WSGIRequestHandler, make_server

app = Flask(__name__)
signing_key = ec.generate_private_key(ec.SECP256R1())
certificates = [base64.b64encode(os.urandom(size)).decode() for size in (1_100, 800, 600)]
backend_key = Path(sys.argv[1]).read_text()


def transaction(number: int) -> dict:
    bought = 1_700_000_000_000 + number * 2_592_000_000
    return {
        "transactionId": str(2_000_000_000_000_000 + number),
        "originalTransactionId": "2000000000000000",
        "webOrderLineItemId": str(2_000_000_000_500_000 + number),
        "bundleId": "com.example.bench",
        "productId": "pro",
        "subscriptionGroupIdentifier": "20450880",
        "purchaseDate": bought,
        "originalPurchaseDate": 1_700_000_000_000,
        "expiresDate": bought + 2_592_000_000,
        "quantity": 1,
        "type": "Auto-Renewable Subscription",
        "appTransactionId": "704000000000000000",
        "inAppOwnershipType": "PURCHASED",
        "environment": "Sandbox",
        "transactionReason": "RENEWAL",
        "storefront": "USA",
        "storefrontId": "143441",
        "price": 4990,
        "currency": "USD",
    }


transactions = [transaction(number) for number in range(25)]


def signed(row: dict) -> str:
    payload = {**row, "signedDate": int(time.time() * 1000)}
    return jwt.encode(payload, signing_key, algorithm="ES256", headers={"x5c": certificates})


@app.get("/inApps/v2/history/<transaction_id>")
def history(transaction_id: str):
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    try:
        jwt.decode(token, backend_key, algorithms=["ES256"], audience="appstoreconnect-v1")
    except jwt.InvalidTokenError:
        abort(401)
    return jsonify(
        {
            "revision": str(uuid.uuid4()),
            "bundleId": "com.example.bench",
            "environment": "Sandbox",
            "hasMore": True,
            "signedTransactions": [signed(row) for row in transactions[:20]],
        }
    )


class Quiet(WSGIRequestHandler):
    """Logs no requests, and keeps connections open, like Till."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *arguments):
        pass


if __name__ == "__main__":
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    whole = Path(sys.argv[2] + ".part")
    whole.write_text(json.dumps({"address": f"http://127.0.0.1:{server.port}"}))
    whole.rename(sys.argv[2])
    server.serve_forever()
