"""A backend as its owner wrote it: Apple's library and `requests`, with no word of Till. Prints what it found as JSON.

It knows its key and its app from the environment and Apple's addresses from the library, and gets the id of a
transaction of each realm as an argument.
"""

import json
import os
import sys

import requests
from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

RECEIPTS = {"production": "https://buy.itunes.apple.com", "sandbox": "https://sandbox.itunes.apple.com"}


def look_up(realm, environment, transaction_id):
    with open(os.environ["TILL_KEY"], "rb") as key:
        client = AppStoreServerAPIClient(
            key.read(), os.environ["TILL_KEY_ID"], os.environ["TILL_ISSUER_ID"], os.environ["TILL_APP"], environment
        )
    with open(os.environ["TILL_ROOT_DER"], "rb") as root:
        verifier = SignedDataVerifier(
            [root.read()], "ONLINE_CHECKS" in os.environ, environment, os.environ["TILL_APP"], int(os.environ["TILL_APP_APPLE_ID"])
        )
    found = verifier.verify_and_decode_signed_transaction(
        client.get_transaction_info(transaction_id).signedTransactionInfo
    )
    # Whether a receipt is good is not this program's question, but who answers.
    receipt = requests.post(f"{RECEIPTS[realm]}/verifyReceipt", json={"receipt-data": "x"}, timeout=30)
    return {
        "transactionId": found.transactionId, "environment": found.rawEnvironment,
        "requestId": receipt.headers.get("X-Request-ID"), "status": receipt.json()["status"],
    }


def main():
    transactions = dict(argument.split("=") for argument in sys.argv[1:])
    print(json.dumps({
        "production": look_up("production", Environment.PRODUCTION, transactions["production"]),
        "sandbox": look_up("sandbox", Environment.SANDBOX, transactions["sandbox"]),
    }))


if __name__ == "__main__":
    main()
