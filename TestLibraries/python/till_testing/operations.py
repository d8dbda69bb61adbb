"""The operations of the control API that tests need, a method for each.

Names of methods follow Python; names of arguments and fields are those of the contract. A value that is
None is not sent.

Generated from the OpenAPI document by TestLibraries/python/generate.py.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .answers import (
    ActionInfo, AdvanceReportInfo, AppInfo, AttackInfo, AuthorityInfo, CatalogImportInfo, CatalogInfo, ClockInfo,
    CustomerChange, CustomerInfo, CustomerList, EndpointInfo, ErasureInfo, FamilyChange, FamilyInfo, FaultRuleInfo,
    GroupInfo, HeldPurchaseInfo, JobInfo, KeyInfo, LedgerEntryList, NotificationInfo, NotificationList, ProductInfo,
    PurchaseInfo, ReceiptInfo, RefundRequestList, RequestInfo, RequestList, ResendInfo, SearchResults, SettingsInfo,
    SharedSecretInfo, SnapshotComparison, SnapshotInfo, StatusInfo, TeamInfo, TransactionInfo, UpcomingEventList,
    UsedOfferInfo,
)
from .transport import ControlConnection, Sender, part


NOTIFICATION_TYPES = (
    "SUBSCRIBED", "DID_RENEW", "OFFER_REDEEMED", "ONE_TIME_CHARGE", "DID_CHANGE_RENEWAL_PREF",
    "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "PRICE_INCREASE",
    "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE", "RENEWAL_EXTENDED",
    "RENEWAL_EXTENSION", "TEST", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION",
    "PRICE_CHANGE",
)


class ServerOperations(Sender):
    """Operations that concern the whole server."""

    def get_status(self) -> StatusInfo:
        """Shows the server's version, ports and data directory, and how clients reach it under the App Store's host
        names."""
        return self._send("GET", "/v1/status", StatusInfo)

    def list_teams(self) -> List[TeamInfo]:
        """Lists all teams."""
        return self._send("GET", "/v1/teams", List[TeamInfo])

    def create_team(self, name: str, *, issuerId: Optional[str] = None) -> TeamInfo:
        """Creates a team."""
        return self._send("POST", "/v1/teams", TeamInfo, body={"name": name, "issuerId": issuerId})

    def list_apps(self) -> List[AppInfo]:
        """Lists all apps."""
        return self._send("GET", "/v1/apps", List[AppInfo])

    def create_app(
        self, bundleId: str, *, appAppleId: Optional[int] = None, name: Optional[str] = None,
        issuerId: Optional[str] = None,
    ) -> AppInfo:
        """Creates an app, and a team if there is none."""
        return self._send(
            "POST", "/v1/apps", AppInfo, body={"bundleId": bundleId, "appAppleId": appAppleId, "name": name,
            "issuerId": issuerId},
        )

    def list_keys(self) -> List[KeyInfo]:
        """Lists all API keys, without their private keys, which Till does not store."""
        return self._send("GET", "/v1/keys", List[KeyInfo])

    def create_key(
        self, *, name: Optional[str] = None, issuerId: Optional[str] = None, bundleId: Optional[str] = None,
    ) -> KeyInfo:
        """Creates an API key."""
        return self._send("POST", "/v1/keys", KeyInfo, body={"name": name, "issuerId": issuerId, "bundleId": bundleId})

    def revoke_key(self, keyId: str, *, bundleId: Optional[str] = None) -> KeyInfo:
        """Revokes a key permanently."""
        return self._send("DELETE", f"/v1/keys/{part(keyId)}", KeyInfo, query={"bundleId": bundleId})

    def set_primary_shared_secret(
        self, issuerId: str, *, sharedSecret: Optional[str] = None, remove: Optional[bool] = None,
    ) -> SharedSecretInfo:
        """Sets or removes the primary shared secret of a team, for apps that have no secret of their own."""
        return self._send(
            "PUT", f"/v1/teams/{part(issuerId)}/shared-secret", SharedSecretInfo, body={"sharedSecret": sharedSecret,
            "remove": remove},
        )

    def list_requests(
        self, *, refused: Optional[bool] = None, bundleId: Optional[str] = None, path: Optional[str] = None,
        status: Optional[int] = None, after: Optional[str] = None, limit: Optional[int] = None,
    ) -> RequestList:
        """Lists logged requests, newest first: refused requests, or all with --request-log-all."""
        return self._send(
            "GET", "/v1/requests", RequestList, query={"refused": refused, "bundleId": bundleId, "path": path,
            "status": status, "after": after, "limit": limit},
        )

    def explain_request(self, requestId: str) -> RequestInfo:
        """Shows a logged request, and why it was refused."""
        return self._send("GET", f"/v1/requests/{part(requestId)}", RequestInfo)

    def get_authority(self, *, receipts: Optional[bool] = None) -> AuthorityInfo:
        """Shows the root certificate and the signing chain."""
        return self._send("GET", "/v1/ca", AuthorityInfo, query={"receipts": receipts})

    def list_faults(self) -> List[FaultRuleInfo]:
        """Lists the fault rules, oldest first, with the number of affected calls of each."""
        return self._send("GET", "/v1/faults", List[FaultRuleInfo])

    def add_fault(
        self, kind: str, *, environment: Optional[str] = None, bundleId: Optional[str] = None,
        route: Optional[str] = None, endpoint: Optional[str] = None, customer: Optional[str] = None,
        percent: Optional[int] = None, limit: Optional[int] = None, until: Optional[int] = None,
        code: Optional[int] = None, retryAfter: Optional[int] = None, milliseconds: Optional[int] = None,
        spread: Optional[int] = None, perHour: Optional[int] = None, seed: Optional[int] = None,
    ) -> FaultRuleInfo:
        """Adds a fault rule."""
        return self._send(
            "POST", "/v1/faults", FaultRuleInfo, body={"kind": kind, "environment": environment, "bundleId": bundleId,
            "route": route, "endpoint": endpoint, "customer": customer, "percent": percent, "limit": limit,
            "until": until, "code": code, "retryAfter": retryAfter, "milliseconds": milliseconds, "spread": spread,
            "perHour": perHour, "seed": seed},
        )

    def remove_faults(self, *, faultId: Optional[str] = None, bundleId: Optional[str] = None) -> None:
        """Removes a fault rule, all fault rules of an app, or all fault rules."""
        return self._send("DELETE", "/v1/faults", None, query={"faultId": faultId, "bundleId": bundleId})

    def reset(
        self, *, bundleId: Optional[str] = None, everything: Optional[bool] = None, confirm: Optional[str] = None,
    ) -> None:
        """Erases all activity: customers, purchases, notifications, clocks and fault rules."""
        return self._send(
            "DELETE", "/v1/state", None, query={"bundleId": bundleId, "everything": everything, "confirm": confirm},
        )

    def list_snapshots(self) -> List[SnapshotInfo]:
        """Lists the snapshots by name."""
        return self._send("GET", "/v1/snapshots", List[SnapshotInfo])

    def save_snapshot(self, name: str, *, bundleId: Optional[str] = None) -> SnapshotInfo:
        """Saves the current state as a snapshot, and replaces an existing snapshot of that name."""
        return self._send("PUT", f"/v1/snapshots/{part(name)}", SnapshotInfo, query={"bundleId": bundleId})

    def remove_snapshot(self, name: str) -> None:
        """Deletes a snapshot."""
        return self._send("DELETE", f"/v1/snapshots/{part(name)}", None)

    def restore_snapshot(self, name: str, *, confirm: Optional[str] = None) -> SnapshotInfo:
        """Restores the state exactly as it was saved."""
        return self._send("POST", f"/v1/snapshots/{part(name)}/restore", SnapshotInfo, query={"confirm": confirm})

    def compare_snapshots(
        self, name: str, *, to: Optional[str] = None, bundleId: Optional[str] = None, after: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> SnapshotComparison:
        """Compares one app in a snapshot with the same app in another snapshot, or with the current state: which
        customers, renewals, transactions and notifications were added, changed or removed."""
        return self._send(
            "GET", f"/v1/snapshots/{part(name)}/differences", SnapshotComparison, query={"to": to, "bundleId": bundleId,
            "after": after, "limit": limit},
        )

    def search(
        self, value: str, *, bundleId: Optional[str] = None, environment: Optional[str] = None,
        after: Optional[str] = None, limit: Optional[int] = None,
    ) -> SearchResults:
        """Finds customers, transactions, orders, app account tokens, notifications and logged requests, in both
        environments of all apps that the token may read."""
        return self._send(
            "GET", "/v1/search", SearchResults, query={"value": value, "bundleId": bundleId, "environment": environment,
            "after": after, "limit": limit},
        )


class AppOperations(Sender):
    """Operations in one environment of one app, and those that can be limited to it."""

    app_path: str
    environment_path: str

    def __init__(self, connection: ControlConnection, bundleId: str, environment: str):
        super().__init__(connection)
        self.bundle_id, self.environment = bundleId, environment
        self.app_path = f"/v1/apps/{part(bundleId)}"
        self.environment_path = f"{self.app_path}/{part(environment)}"

    def get_app(self) -> AppInfo:
        """Shows one app."""
        return self._send("GET", f"{self.app_path}", AppInfo)

    def create_key(self, *, name: Optional[str] = None, issuerId: Optional[str] = None) -> KeyInfo:
        """Creates an API key."""
        return self._send(
            "POST", "/v1/keys", KeyInfo, body={"name": name, "issuerId": issuerId, "bundleId": self.bundle_id},
        )

    def revoke_key(self, keyId: str) -> KeyInfo:
        """Revokes a key permanently."""
        return self._send("DELETE", f"/v1/keys/{part(keyId)}", KeyInfo, query={"bundleId": self.bundle_id})

    def get_shared_secret(self) -> SharedSecretInfo:
        """Shows the shared secret that verifyReceipt requires for an app."""
        return self._send("GET", f"{self.app_path}/shared-secret", SharedSecretInfo)

    def set_shared_secret(
        self, *, sharedSecret: Optional[str] = None, remove: Optional[bool] = None,
    ) -> SharedSecretInfo:
        """Sets or removes the shared secret of an app, which applies instead of the team's primary secret."""
        return self._send(
            "PUT", f"{self.app_path}/shared-secret", SharedSecretInfo, body={"sharedSecret": sharedSecret,
            "remove": remove},
        )

    def import_store_kit_file(self, body: Dict[str, Any]) -> CatalogImportInfo:
        """Imports an Xcode .storekit file, version 1.0 to 5.0, into the app's catalog."""
        return self._send("PUT", f"{self.app_path}/catalog/storekit", CatalogImportInfo, body=body)

    def get_catalog(self) -> CatalogInfo:
        """Shows the app's catalog."""
        return self._send("GET", f"{self.app_path}/catalog", CatalogInfo)

    def put_catalog(self, body: Dict[str, Any]) -> CatalogInfo:
        """Replaces the app's catalog."""
        return self._send("PUT", f"{self.app_path}/catalog", CatalogInfo, body=body)

    def put_product(self, body: Dict[str, Any]) -> ProductInfo:
        """Adds a product, or replaces the product with the same identifier."""
        return self._send("POST", f"{self.app_path}/products", ProductInfo, body=body)

    def put_group(self, body: Dict[str, Any]) -> GroupInfo:
        """Adds a subscription group, or renames the group with the same identifier."""
        return self._send("POST", f"{self.app_path}/groups", GroupInfo, body=body)

    def set_for_sale(self, productId: str, forSale: bool) -> ProductInfo:
        """Removes a product from sale, so that its subscriptions do not renew, or restores it."""
        return self._send(
            "POST", f"{self.app_path}/products/{part(productId)}/sale", ProductInfo, body={"forSale": forSale},
        )

    def list_customers(self, *, after: Optional[str] = None, limit: Optional[int] = None) -> CustomerList:
        """Lists customers, oldest first, in pages."""
        return self._send(
            "GET", f"{self.environment_path}/customers", CustomerList, query={"after": after, "limit": limit},
        )

    def create_customer(
        self, customer: str, *, storefront: Optional[str] = None, downloadsApp: Optional[bool] = None,
        platform: Optional[str] = None, applicationVersion: Optional[str] = None, clock: Optional[str] = None,
        newClock: Optional[int] = None, at: Optional[int] = None,
    ) -> CustomerInfo:
        """Creates a customer."""
        return self._send(
            "POST", f"{self.environment_path}/customers", CustomerInfo, body={"customer": customer,
            "storefront": storefront, "downloadsApp": downloadsApp, "platform": platform,
            "applicationVersion": applicationVersion, "clock": clock, "newClock": newClock, "at": at},
        )

    def get_customer(self, customer: str) -> CustomerInfo:
        """Shows one customer, with subscriptions and owned products."""
        return self._send("GET", f"{self.environment_path}/customers/{part(customer)}", CustomerInfo)

    def update_customer(
        self, customer: str, *, card: Optional[str] = None, asksToBuy: Optional[bool] = None,
        clock: Optional[str] = None, at: Optional[int] = None,
    ) -> CustomerChange:
        """Changes a customer's payment method, Ask to Buy or clock."""
        return self._send(
            "PATCH", f"{self.environment_path}/customers/{part(customer)}", CustomerChange, body={"card": card,
            "asksToBuy": asksToBuy, "clock": clock, "at": at}, settles=True,
        )

    def erase_customer(
        self, customer: str, *, dryRun: Optional[bool] = None, removeSnapshots: Optional[bool] = None,
    ) -> ErasureInfo:
        """Permanently erases a customer and all data about the customer in this app and environment."""
        return self._send(
            "DELETE", f"{self.environment_path}/customers/{part(customer)}", ErasureInfo, query={"dryRun": dryRun,
            "removeSnapshots": removeSnapshots}, settles=True,
        )

    def list_transactions(
        self, customer: str, *, after: Optional[str] = None, limit: Optional[int] = None,
    ) -> LedgerEntryList:
        """Lists a customer's transactions, the most recently changed first, in pages."""
        return self._send(
            "GET", f"{self.environment_path}/customers/{part(customer)}/transactions", LedgerEntryList,
            query={"after": after, "limit": limit},
        )

    def list_used_offers(self, customer: str) -> List[UsedOfferInfo]:
        """Lists the offers that a customer has used, in the order of their first use: introductory, promotional and
        win-back offers, and offer codes."""
        return self._send(
            "GET", f"{self.environment_path}/customers/{part(customer)}/used-offers", List[UsedOfferInfo],
        )

    def buy_product(
        self, customer: str, productId: str, *, quantity: Optional[int] = None, storefront: Optional[str] = None,
        price: Optional[int] = None, currency: Optional[str] = None, appAccountToken: Optional[str] = None,
        offer: Optional[Dict[str, Any]] = None, billingPlan: Optional[str] = None, orderId: Optional[str] = None,
        finished: Optional[bool] = None, interrupted: Optional[bool] = None, deviceId: Optional[str] = None,
        clock: Optional[str] = None, newClock: Optional[int] = None, at: Optional[int] = None,
        include: Optional[List[str]] = None,
    ) -> PurchaseInfo:
        """Makes a purchase."""
        return self._send(
            "POST", f"{self.environment_path}/customers/{part(customer)}/purchases", PurchaseInfo,
            body={"productId": productId, "quantity": quantity, "storefront": storefront, "price": price,
            "currency": currency, "appAccountToken": appAccountToken, "offer": offer, "billingPlan": billingPlan,
            "orderId": orderId, "finished": finished, "interrupted": interrupted, "deviceId": deviceId, "clock": clock,
            "newClock": newClock, "at": at}, query={"include": include}, settles=True,
        )

    def get_transaction(
        self, transactionId: str, *, deviceId: Optional[str] = None, include: Optional[List[str]] = None,
    ) -> TransactionInfo:
        """Shows a transaction, signed now, with the data that the device gives to the app."""
        return self._send(
            "GET", f"{self.environment_path}/transactions/{part(transactionId)}", TransactionInfo,
            query={"deviceId": deviceId, "include": include},
        )

    def finish_transaction(self, transactionId: str, *, include: Optional[List[str]] = None) -> ActionInfo:
        """Finishes a transaction, as the app does on the customer's device."""
        return self._send(
            "POST", f"{self.environment_path}/transactions/{part(transactionId)}/finish", ActionInfo,
            query={"include": include}, settles=True,
        )

    def list_held_purchases(self, customer: str) -> List[HeldPurchaseInfo]:
        """Lists a customer's pending purchases, oldest first."""
        return self._send(
            "GET", f"{self.environment_path}/customers/{part(customer)}/held-purchases", List[HeldPurchaseInfo],
        )

    def approve_purchase(
        self, customer: str, number: str, *, deviceId: Optional[str] = None, at: Optional[int] = None,
        include: Optional[List[str]] = None,
    ) -> PurchaseInfo:
        """Approves or completes a pending purchase."""
        return self._send(
            "POST", f"{self.environment_path}/customers/{part(customer)}/held-purchases/{part(number)}/approve",
            PurchaseInfo, body={"deviceId": deviceId, "at": at}, query={"include": include}, settles=True,
        )

    def decline_purchase(self, customer: str, number: str, *, at: Optional[int] = None) -> CustomerChange:
        """Declines a pending purchase."""
        return self._send(
            "POST", f"{self.environment_path}/customers/{part(customer)}/held-purchases/{part(number)}/decline",
            CustomerChange, body={"at": at}, settles=True,
        )

    def get_receipt(
        self, customer: str, *, transactionId: Optional[str] = None, deviceId: Optional[str] = None,
    ) -> ReceiptInfo:
        """Shows the current app receipt of a customer's device, or the receipt of one transaction in the format of
        iOS 6."""
        return self._send(
            "GET", f"{self.environment_path}/customers/{part(customer)}/receipt", ReceiptInfo,
            query={"transactionId": transactionId, "deviceId": deviceId},
        )

    def get_subscription(self, originalTransactionId: str, *, include: Optional[List[str]] = None) -> TransactionInfo:
        """Shows one subscription with its latest transaction."""
        return self._send(
            "GET", f"{self.environment_path}/subscriptions/{part(originalTransactionId)}", TransactionInfo,
            query={"include": include},
        )

    def cancel_subscription(
        self, originalTransactionId: str, *, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Turns off auto-renew."""
        return self._send(
            "POST", f"{self.environment_path}/subscriptions/{part(originalTransactionId)}/cancel", ActionInfo,
            body={"at": at}, query={"include": include}, settles=True,
        )

    def resume_subscription(
        self, originalTransactionId: str, *, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Turns auto-renew on again."""
        return self._send(
            "POST", f"{self.environment_path}/subscriptions/{part(originalTransactionId)}/resume", ActionInfo,
            body={"at": at}, query={"include": include}, settles=True,
        )

    def change_subscription(
        self, originalTransactionId: str, productId: str, *, offer: Optional[Dict[str, Any]] = None,
        billingPlan: Optional[str] = None, appAccountToken: Optional[str] = None, deviceId: Optional[str] = None,
        at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> PurchaseInfo:
        """Changes to another product of the group, applies an offer, or changes the billing plan."""
        return self._send(
            "POST", f"{self.environment_path}/subscriptions/{part(originalTransactionId)}/change", PurchaseInfo,
            body={"productId": productId, "offer": offer, "billingPlan": billingPlan,
            "appAccountToken": appAccountToken, "deviceId": deviceId, "at": at}, query={"include": include},
            settles=True,
        )

    def extend_subscription(
        self, originalTransactionId: str, days: int, *, reasonCode: Optional[int] = None,
        requestIdentifier: Optional[str] = None, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Extends the current period of a subscription free of charge."""
        return self._send(
            "POST", f"{self.environment_path}/subscriptions/{part(originalTransactionId)}/extend", ActionInfo,
            body={"days": days, "reasonCode": reasonCode, "requestIdentifier": requestIdentifier, "at": at},
            query={"include": include}, settles=True,
        )

    def accept_price_increase(
        self, originalTransactionId: str, *, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Accepts a price increase for the customer."""
        return self._send(
            "POST", f"{self.environment_path}/subscriptions/{part(originalTransactionId)}/price-increase/accept",
            ActionInfo, body={"at": at}, query={"include": include}, settles=True,
        )

    def decline_price_increase(
        self, originalTransactionId: str, *, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Declines a price increase for the customer, and turns off auto-renew."""
        return self._send(
            "POST", f"{self.environment_path}/subscriptions/{part(originalTransactionId)}/price-increase/decline",
            ActionInfo, body={"at": at}, query={"include": include}, settles=True,
        )

    def refund_transaction(
        self, transactionId: str, *, share: Optional[str] = None, percentage: Optional[int] = None,
        reason: Optional[int] = None, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Refunds a transaction in full or in part, or the unused part of a subscription's period."""
        return self._send(
            "POST", f"{self.environment_path}/transactions/{part(transactionId)}/refund", ActionInfo,
            body={"share": share, "percentage": percentage, "reason": reason, "at": at}, query={"include": include},
            settles=True,
        )

    def reverse_refund(
        self, transactionId: str, *, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Reverses a refund after a dispute with the customer."""
        return self._send(
            "POST", f"{self.environment_path}/transactions/{part(transactionId)}/refund/reverse", ActionInfo,
            body={"at": at}, query={"include": include}, settles=True,
        )

    def request_refund(
        self, transactionId: str, *, reason: Optional[str] = None, at: Optional[int] = None,
        include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Requests a refund."""
        return self._send(
            "POST", f"{self.environment_path}/transactions/{part(transactionId)}/refund/request", ActionInfo,
            body={"reason": reason, "at": at}, query={"include": include}, settles=True,
        )

    def decline_refund(
        self, transactionId: str, *, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Declines a refund request."""
        return self._send(
            "POST", f"{self.environment_path}/transactions/{part(transactionId)}/refund/decline", ActionInfo,
            body={"at": at}, query={"include": include}, settles=True,
        )

    def list_refund_requests(
        self, *, customer: Optional[str] = None, after: Optional[str] = None,
    ) -> RefundRequestList:
        """Lists the undecided refund requests of one customer, or of all customers in pages."""
        return self._send(
            "GET", f"{self.environment_path}/refund-requests", RefundRequestList, query={"customer": customer,
            "after": after},
        )

    def create_family(
        self, organizer: str, members: List[str], *, name: Optional[str] = None, clock: Optional[str] = None,
        newClock: Optional[int] = None,
    ) -> FamilyChange:
        """Creates a family of two to six customers."""
        return self._send(
            "POST", f"{self.environment_path}/families", FamilyChange, body={"name": name, "organizer": organizer,
            "members": members, "clock": clock, "newClock": newClock}, settles=True,
        )

    def get_family(self, customer: str) -> FamilyInfo:
        """Shows the family of a customer."""
        return self._send("GET", f"{self.environment_path}/customers/{part(customer)}/family", FamilyInfo)

    def leave_family(self, customer: str) -> CustomerChange:
        """Removes the customer from the family."""
        return self._send(
            "DELETE", f"{self.environment_path}/customers/{part(customer)}/family", CustomerChange, settles=True,
        )

    def join_family(self, customer: str, member: str, *, linkCopies: Optional[bool] = None) -> FamilyChange:
        """Adds another customer to this customer's family."""
        return self._send(
            "PUT", f"{self.environment_path}/customers/{part(customer)}/family/members/{part(member)}", FamilyChange,
            body={"linkCopies": linkCopies}, settles=True,
        )

    def set_sharing(
        self, transactionId: str, shared: bool, *, at: Optional[int] = None, include: Optional[List[str]] = None,
    ) -> ActionInfo:
        """Starts or stops sharing a purchase, which any of its transactions identifies, with the purchaser's family."""
        return self._send(
            "POST", f"{self.environment_path}/transactions/{part(transactionId)}/sharing", ActionInfo,
            body={"shared": shared, "at": at}, query={"include": include}, settles=True,
        )

    def raise_price(
        self, productId: str, price: int, *, currency: Optional[str] = None, storefront: Optional[str] = None,
        consent: Optional[str] = None, at: Optional[int] = None,
    ) -> JobInfo:
        """Raises the price of a subscription."""
        return self._send(
            "POST", f"{self.environment_path}/products/{part(productId)}/price", JobInfo, body={"price": price,
            "currency": currency, "storefront": storefront, "consent": consent, "at": at}, settles=True,
        )

    def share_product(self, productId: str, *, at: Optional[int] = None) -> JobInfo:
        """Turns on Family Sharing for a product."""
        return self._send(
            "POST", f"{self.environment_path}/products/{part(productId)}/sharing", JobInfo, body={"at": at},
            settles=True,
        )

    def extend_all(
        self, productId: str, days: int, *, reasonCode: Optional[int] = None, requestIdentifier: Optional[str] = None,
        storefronts: Optional[List[str]] = None, at: Optional[int] = None,
    ) -> JobInfo:
        """Extends the current period of all subscribers of a product."""
        return self._send(
            "POST", f"{self.environment_path}/extensions", JobInfo, body={"productId": productId, "days": days,
            "reasonCode": reasonCode, "requestIdentifier": requestIdentifier, "storefronts": storefronts, "at": at},
            settles=True,
        )

    def list_jobs(self) -> List[JobInfo]:
        """Lists the jobs of the app's environment by effective date."""
        return self._send("GET", f"{self.environment_path}/jobs", List[JobInfo])

    def get_job(self, jobId: str) -> JobInfo:
        """Shows one job."""
        return self._send("GET", f"{self.environment_path}/jobs/{part(jobId)}", JobInfo)

    def get_clock(self, *, clock: Optional[str] = None) -> ClockInfo:
        """Shows a clock, and the progress of its advance."""
        return self._send("GET", f"{self.environment_path}/clock", ClockInfo, query={"clock": clock})

    def set_clock(
        self, mode: str, *, clock: Optional[str] = None, at: Optional[int] = None, speed: Optional[int] = None,
    ) -> ClockInfo:
        """Freezes a clock, runs it at a speed, or sets it to real time."""
        return self._send(
            "PUT", f"{self.environment_path}/clock", ClockInfo, body={"clock": clock, "mode": mode, "at": at,
            "speed": speed}, settles=True,
        )

    def advance_clock(
        self, *, clock: Optional[str] = None, by: Optional[str] = None, to: Optional[int] = None,
        toNextEvent: Optional[bool] = None,
    ) -> AdvanceReportInfo:
        """Advances a clock, and processes every event that is due before the new time."""
        return self._send(
            "POST", f"{self.environment_path}/clock/advance", AdvanceReportInfo, body={"clock": clock, "by": by,
            "to": to, "toNextEvent": toNextEvent}, settles=True,
        )

    def list_clocks(self) -> List[ClockInfo]:
        """Lists the customer clocks by name."""
        return self._send("GET", f"{self.environment_path}/clocks", List[ClockInfo])

    def create_clock(
        self, name: str, *, mode: Optional[str] = None, at: Optional[int] = None, speed: Optional[int] = None,
    ) -> ClockInfo:
        """Creates a customer clock."""
        return self._send(
            "POST", f"{self.environment_path}/clocks", ClockInfo, body={"name": name, "mode": mode, "at": at,
            "speed": speed},
        )

    def delete_clock(self, clock: str) -> None:
        """Deletes a customer clock that no customer uses and that has no pending deliveries."""
        return self._send("DELETE", f"{self.environment_path}/clocks/{part(clock)}", None)

    def list_upcoming_events(self, *, clock: Optional[str] = None, limit: Optional[int] = None) -> UpcomingEventList:
        """Lists the upcoming events on a clock, earliest first, and the date of the next delivery."""
        return self._send(
            "GET", f"{self.environment_path}/upcoming-events", UpcomingEventList, query={"clock": clock,
            "limit": limit},
        )

    def get_settings(self) -> SettingsInfo:
        """Shows the settings of the app's environment."""
        return self._send("GET", f"{self.environment_path}/settings", SettingsInfo)

    def update_settings(
        self, *, rate: Optional[str] = None, grace: Optional[Dict[str, Any]] = None, refundRule: Optional[str] = None,
        released: Optional[bool] = None, payloadProfile: Optional[str] = None, missingPrice: Optional[str] = None,
    ) -> SettingsInfo:
        """Changes the settings in the body."""
        return self._send(
            "PUT", f"{self.environment_path}/settings", SettingsInfo, body={"rate": rate, "grace": grace,
            "refundRule": refundRule, "released": released, "payloadProfile": payloadProfile,
            "missingPrice": missingPrice},
        )

    def list_endpoints(self) -> List[EndpointInfo]:
        """Lists the endpoints, primary first."""
        return self._send("GET", f"{self.environment_path}/endpoints", List[EndpointInfo])

    def set_endpoint(
        self, endpoint: str, url: str, *, types: Optional[List[str]] = None, version: Optional[int] = None,
    ) -> EndpointInfo:
        """Sets the URL and the notification types of an endpoint."""
        return self._send(
            "PUT", f"{self.environment_path}/endpoints/{part(endpoint)}", EndpointInfo, body={"url": url,
            "types": types, "version": version},
        )

    def update_endpoint(
        self, endpoint: str, *, url: Optional[str] = None, types: Optional[List[str]] = None,
        version: Optional[int] = None, paused: Optional[bool] = None,
    ) -> EndpointInfo:
        """Changes what the request contains of an endpoint, and leaves the rest."""
        return self._send(
            "PATCH", f"{self.environment_path}/endpoints/{part(endpoint)}", EndpointInfo, body={"url": url,
            "types": types, "version": version, "paused": paused},
        )

    def remove_endpoint(self, endpoint: str) -> None:
        """Removes an endpoint and discards its pending deliveries."""
        return self._send("DELETE", f"{self.environment_path}/endpoints/{part(endpoint)}", None)

    def list_notifications(
        self, *, type: Optional[str] = None, customer: Optional[str] = None, failed: Optional[bool] = None,
        endpoint: Optional[str] = None, from_: Optional[int] = None, to: Optional[int] = None,
        after: Optional[str] = None, limit: Optional[int] = None,
    ) -> NotificationList:
        """Lists notifications, newest first, in pages."""
        return self._send(
            "GET", f"{self.environment_path}/notifications", NotificationList, query={"type": type,
            "customer": customer, "failed": failed, "endpoint": endpoint, "from": from_, "to": to, "after": after,
            "limit": limit},
        )

    def trigger_notification(
        self, type: str, *, subtype: Optional[str] = None, transactionId: Optional[str] = None,
        customer: Optional[str] = None,
    ) -> NotificationInfo:
        """Sends a notification of any type and subtype, with the current data."""
        return self._send(
            "POST", f"{self.environment_path}/notifications", NotificationInfo, body={"type": type, "subtype": subtype,
            "transactionId": transactionId, "customer": customer}, settles=True,
        )

    def resend_notifications(
        self, *, notificationUUID: Optional[str] = None, from_: Optional[int] = None, to: Optional[int] = None,
        endpoint: Optional[str] = None,
    ) -> ResendInfo:
        """Resends a notification, or all notifications created between two times, with exactly the same bytes."""
        return self._send(
            "POST", f"{self.environment_path}/notifications/resend", ResendInfo,
            body={"notificationUUID": notificationUUID, "from": from_, "to": to, "endpoint": endpoint}, settles=True,
        )

    def get_notification(self, notificationUUID: str) -> NotificationInfo:
        """Shows a notification with its decoded payloads and every delivery attempt."""
        return self._send("GET", f"{self.environment_path}/notifications/{part(notificationUUID)}", NotificationInfo)

    def list_requests(
        self, *, refused: Optional[bool] = None, path: Optional[str] = None, status: Optional[int] = None,
        after: Optional[str] = None, limit: Optional[int] = None,
    ) -> RequestList:
        """Lists logged requests, newest first: refused requests, or all with --request-log-all."""
        return self._send(
            "GET", "/v1/requests", RequestList, query={"refused": refused, "bundleId": self.bundle_id, "path": path,
            "status": status, "after": after, "limit": limit},
        )

    def list_attacks(
        self, *, receipts: Optional[bool] = None, case: Optional[str] = None, transactionId: Optional[str] = None,
    ) -> List[AttackInfo]:
        """Creates the attack pack: signed data or receipts with one flaw each, which a correct verifier refuses."""
        return self._send(
            "GET", f"{self.environment_path}/attacks", List[AttackInfo], query={"receipts": receipts, "case": case,
            "transactionId": transactionId},
        )

    def add_fault(
        self, kind: str, *, route: Optional[str] = None, endpoint: Optional[str] = None, customer: Optional[str] = None,
        percent: Optional[int] = None, limit: Optional[int] = None, until: Optional[int] = None,
        code: Optional[int] = None, retryAfter: Optional[int] = None, milliseconds: Optional[int] = None,
        spread: Optional[int] = None, perHour: Optional[int] = None, seed: Optional[int] = None,
    ) -> FaultRuleInfo:
        """Adds a fault rule."""
        return self._send(
            "POST", "/v1/faults", FaultRuleInfo, body={"kind": kind, "environment": self.environment,
            "bundleId": self.bundle_id, "route": route, "endpoint": endpoint, "customer": customer, "percent": percent,
            "limit": limit, "until": until, "code": code, "retryAfter": retryAfter, "milliseconds": milliseconds,
            "spread": spread, "perHour": perHour, "seed": seed},
        )

    def remove_faults(self, *, faultId: Optional[str] = None) -> None:
        """Removes a fault rule, all fault rules of an app, or all fault rules."""
        return self._send("DELETE", "/v1/faults", None, query={"faultId": faultId, "bundleId": self.bundle_id})

    def reset(self, *, everything: Optional[bool] = None, confirm: Optional[str] = None) -> None:
        """Erases all activity: customers, purchases, notifications, clocks and fault rules."""
        return self._send(
            "DELETE", "/v1/state", None, query={"bundleId": self.bundle_id, "everything": everything,
            "confirm": confirm},
        )

    def save_snapshot(self, name: str) -> SnapshotInfo:
        """Saves the current state as a snapshot, and replaces an existing snapshot of that name."""
        return self._send("PUT", f"/v1/snapshots/{part(name)}", SnapshotInfo, query={"bundleId": self.bundle_id})

    def compare_snapshots(
        self, name: str, *, to: Optional[str] = None, after: Optional[str] = None, limit: Optional[int] = None,
    ) -> SnapshotComparison:
        """Compares one app in a snapshot with the same app in another snapshot, or with the current state: which
        customers, renewals, transactions and notifications were added, changed or removed."""
        return self._send(
            "GET", f"/v1/snapshots/{part(name)}/differences", SnapshotComparison, query={"to": to,
            "bundleId": self.bundle_id, "after": after, "limit": limit},
        )

    def search(self, value: str, *, after: Optional[str] = None, limit: Optional[int] = None) -> SearchResults:
        """Finds customers, transactions, orders, app account tokens, notifications and logged requests, in both
        environments of all apps that the token may read."""
        return self._send(
            "GET", "/v1/search", SearchResults, query={"value": value, "bundleId": self.bundle_id,
            "environment": self.environment, "after": after, "limit": limit},
        )
