"""The keys in verifyReceipt's answer, and the allowed values of each key.

LATEST_RECEIPT_INFO has the keys of Apple's page "responseBody.Latest_receipt_info", in the order of that page. The
other tables have the keys of `receipt`, `in_app` and `pending_renewal_info`. Each key has a regular expression that
every value must match, or a set of all possible values, each of which must occur. All values are strings except those
in NUMBERS.
"""

import re

GMT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d Etc/GMT")
MILLISECONDS = re.compile(r"\d{13}")
PACIFIC = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d America/Los_Angeles")
ID = re.compile(r"\d{4,19}")
NAME = re.compile(r"[\w.-]+")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
QUANTITY = {str(number) for number in range(1, 11)}
TRUTH = {"true", "false"}
DIGIT = {"0", "1"}


def date(key) -> dict:
    return {key: GMT, f"{key}_ms": MILLISECONDS, f"{key}_pst": PACIFIC}


LATEST_RECEIPT_INFO = {
    "app_account_token": UUID,
    **date("cancellation_date"),
    "cancellation_reason": DIGIT,
    **date("expires_date"),
    "in_app_ownership_type": {"PURCHASED", "FAMILY_SHARED"},
    "is_in_intro_offer_period": TRUTH,
    "is_trial_period": TRUTH,
    "is_upgraded": {"true"},
    "offer_code_ref_name": {"GIFT", "SPRING", "STAYING", "BACK"},
    **date("original_purchase_date"),
    "original_transaction_id": ID,
    "product_id": NAME,
    "promotional_offer_id": {"stay3", "half", "month"},
    **date("purchase_date"),
    "quantity": QUANTITY,
    "subscription_group_identifier": ID,
    "web_order_line_item_id": ID,
    "transaction_id": ID,
}
IN_APP = {key: LATEST_RECEIPT_INFO[key] for key in LATEST_RECEIPT_INFO if key not in (
    "app_account_token", "in_app_ownership_type", "is_upgraded", "offer_code_ref_name", "subscription_group_identifier",
)}
RECEIPT = {
    "receipt_type": {"Production", "ProductionSandbox"},
    "adam_id": re.compile(r"0|\d{9,10}"),
    "app_item_id": re.compile(r"0|\d{9,10}"),
    "bundle_id": {"com.example.shop"},
    "application_version": re.compile(r"\d+(\.\d+)*"),
    "download_id": re.compile(r"0|\d{1,19}"),
    "version_external_identifier": re.compile(r"\d+"),
    **date("receipt_creation_date"),
    **date("request_date"),
    **date("original_purchase_date"),
    "original_application_version": re.compile(r"\d+(\.\d+)*"),
}
NUMBERS = {"adam_id", "app_item_id", "download_id", "version_external_identifier"}
PENDING_RENEWAL_INFO = {
    "product_id": NAME,
    "original_transaction_id": ID,
    "auto_renew_product_id": NAME,
    "auto_renew_status": DIGIT,
    "expiration_intent": {"1", "2", "3", "4", "5"},
    "is_in_billing_retry_period": DIGIT,
    **date("grace_period_expires_date"),
    "price_consent_status": DIGIT,
    "price_increase_status": DIGIT,
    "promotional_offer_id": {"stay3", "month"},
    "offer_code_ref_name": {"SPRING", "STAYING"},
}
# Apple documents these keys for these objects, but Till never sends them.
NEVER_SENT = {
    **{("receipt", key): "control has no way to order an app before its release" for key in date("preorder_date")},
    **{("receipt", key): "there is no volume purchase programme; these receipts never expire"
       for key in date("expiration_date")},
}
PLACES = {"receipt": RECEIPT, "in_app": IN_APP, "latest_receipt_info": LATEST_RECEIPT_INFO,
          "pending_renewal_info": PENDING_RENEWAL_INFO}


def faults(seen) -> list:
    """Finds missing keys and wrong values in each object. The result is empty if every key occurred and every value is
    valid."""
    found = []
    for place, keys in PLACES.items():
        found += [f"{place}.{key} was never sent" for key in keys if key not in seen[place]]
        for key, values in seen[place].items():
            rule = keys.get(key)
            if rule is None:
                found.append(f"{place}.{key} is not documented" if (place, key) not in NEVER_SENT else
                             f"{place}.{key} is sent although it is listed as never sent")
                continue
            kind = int if place == "receipt" and key in NUMBERS else str
            found += [f"{place}.{key}: {value!r} is no {kind.__name__}" for value in values if type(value) is not kind]
            if isinstance(rule, set):
                found += [f"{place}.{key}: {value!r} is not one of {sorted(rule)}" for value in values - rule]
                found += [f"{place}.{key} was never {value!r}" for value in rule - values]
            else:
                found += [f"{place}.{key}: {value!r}" for value in values if not rule.fullmatch(str(value))]
    return sorted(found)
