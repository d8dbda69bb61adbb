"""A backend that does not know Till. It uses Apple's library and `requests`, and prints its results as JSON.

It reads its key and app from a settings file or from environment variables, and uses the library's own addresses of
Apple. Its arguments are the id of a transaction of each environment (`sandbox=…`) and a receipt of each environment
(`sandbox-receipt=FILE`).
"""

import json
import os
import sys

from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

from unchanged_receipts import verify_receipt

ENVIRONMENTS = {"production": Environment.PRODUCTION, "sandbox": Environment.SANDBOX}


def load_settings(arguments):
    if arguments and arguments[0].endswith(".json"):
        with open(arguments.pop(0)) as file:
            return json.load(file)
    return os.environ


def look_up(settings, environment, transaction_id):
    with open(settings["TILL_KEY"], "rb") as key:
        client = AppStoreServerAPIClient(
            key.read(), settings["TILL_KEY_ID"], settings["TILL_ISSUER_ID"], settings["TILL_APP"], environment
        )
    with open(settings["TILL_ROOT_DER"], "rb") as root:
        verifier = SignedDataVerifier(
            [root.read()], "ONLINE_CHECKS" in settings, environment, settings["TILL_APP"],
            int(settings["TILL_APP_APPLE_ID"]),
        )
    signed = client.get_transaction_info(transaction_id).signedTransactionInfo
    try:
        found = verifier.verify_and_decode_signed_transaction(signed)
    except VerificationException as refusal:
        return {"refusal": refusal.status.name}
    return {"transactionId": found.transactionId, "environment": found.rawEnvironment, "productId": found.productId}


def look_up_all(arguments) -> dict:
    """The transaction and the receipt of each environment."""
    settings = load_settings(arguments)
    given = dict(argument.split("=", 1) for argument in arguments)
    found = {}
    for name, environment in ENVIRONMENTS.items():
        found[name] = look_up(settings, environment, given[name])
        with open(given[f"{name}-receipt"]) as file:
            found[name]["receipt"] = verify_receipt(file.read().strip())
    return found


if __name__ == "__main__":
    print(json.dumps(look_up_all(sys.argv[1:])))
