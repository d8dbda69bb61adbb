"""The old receipt check of a backend that does not know Till. It uses `requests` and Apple's two addresses, production
first.

It reads receipts from the given files, and prints Apple's answers as JSON, one per line.
"""

import json
import sys

import requests

PRODUCTION = "https://buy.itunes.apple.com/verifyReceipt"
SANDBOX = "https://sandbox.itunes.apple.com/verifyReceipt"
ASK_THE_SANDBOX = 21007


def verify_receipt(receipt):
    """Returns Apple's answer, all statuses that were received, and the id of the last request."""
    question = {"receipt-data": receipt, "exclude-old-transactions": True}
    statuses = []
    for address in (PRODUCTION, SANDBOX):
        answer = requests.post(address, json=question, timeout=30)
        answer.raise_for_status()
        found = answer.json()
        statuses.append(found["status"])
        if found["status"] != ASK_THE_SANDBOX:
            break
    return {"answer": found, "statuses": statuses, "requestId": answer.headers.get("X-Request-ID")}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with open(name) as file:
            print(json.dumps(verify_receipt(file.read().strip())))
