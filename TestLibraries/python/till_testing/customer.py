"""`Customer`: what a customer and the App Store do."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Union

from .answers import (
    ActionInfo, CustomerChange, CustomerInfo, HeldPurchaseInfo, LedgerEntryInfo, PurchaseInfo, SubscriptionInfo,
)
from .apple import apple
from .transport import TillError

if TYPE_CHECKING:
    from .app import App

PARTS = ["signed", "device"]


class Purchase:
    """The result of a purchase."""

    def __init__(self, info: PurchaseInfo):
        # The whole answer of the control API.
        self.info = info
        # What happened: `subscribed`, `upgraded`, `downgradeScheduled`, `held` and so on.
        self.result = info.result

    @property
    def transactionId(self) -> str:
        return self._transaction.transactionId

    @property
    def originalTransactionId(self) -> str:
        return self._transaction.originalTransactionId

    @property
    def signedTransaction(self) -> str:
        """The JWS of the transaction that StoreKit gives to the app on the device, which sends it to your server."""
        return self._transaction.device.signedTransactionInfo

    @property
    def signedAppTransaction(self) -> Optional[str]:
        """The JWS of the app transaction on the device."""
        return self._transaction.device.signedAppTransactionInfo

    @property
    def held(self) -> Optional[int]:
        """The number of a purchase that waits for approval."""
        return self.info.held

    @property
    def _transaction(self):
        if self.info.transaction is None:
            raise TillError(f"The purchase waits for approval: customer.approve({self.held})")
        return self.info.transaction

    def __repr__(self) -> str:
        if self.info.transaction is None:
            return f"<Purchase held as number {self.held}>"
        return f"<Purchase {self.transactionId} of {self.info.transaction.productId}: {self.result}>"


Which = Union[Purchase, str, None]


class Customer:
    """A customer of an app. Operations return when their notifications are delivered, or cannot be delivered now."""

    def __init__(self, app: App, name: str):
        self.app = app
        self.name = name
        self._control = app.control

    # Purchases

    def buy(
        self, product_id: str, *, offer: Optional[str] = None, code: Optional[str] = None,
        promotional: Optional[str] = None, win_back: Optional[str] = None, **options,
    ) -> Purchase:
        """Buys a product. A subscription begins with its introductory offer if the customer is eligible; `offer="NONE"`
        leaves it out. `code`, `promotional` and `win_back` name another offer. Options are those of the control API,
        such as `quantity`, `appAccountToken`, `storefront`, `billingPlan` and `interrupted`."""
        chosen = self._offer(product_id, offer, code, promotional, win_back)
        return Purchase(self._control.buy_product(
            self.name, product_id, offer=chosen, clock=self.app.clock.name, include=PARTS, **options
        ))

    def _offer(self, product_id, kind, code, promotional, win_back) -> Optional[dict]:
        offers = [
            *([{"kind": kind}] if kind else []), *([{"kind": "CODE", "id": code}] if code else []),
            *([{"kind": "WIN_BACK", "id": win_back}] if win_back else []),
            *([self._signed_offer(product_id, promotional)] if promotional else []),
        ]
        if len(offers) > 1:
            raise TillError("A purchase has at most one offer: use one of offer, code, promotional and win_back.")
        return offers[0] if offers else None

    def _signed_offer(self, product_id: str, offer_id: str) -> dict:
        kind = apple("jws_signature_creator", "PromotionalOfferV2SignatureCreator", "A promotional offer")
        token = self.app.signature_creator(kind).create_signature(product_id, offer_id, None)
        return {"kind": "PROMOTIONAL", "id": offer_id, "token": token}

    def approve(self, number: int) -> Purchase:
        """A parent approves a purchase, or the customer continues an interrupted one."""
        return Purchase(self._control.approve_purchase(self.name, number, include=PARTS))

    def decline(self, number: int) -> CustomerChange:
        """A parent declines a purchase."""
        return self._control.decline_purchase(self.name, number)

    def ask_to_buy(self, asks: bool = True) -> CustomerChange:
        """Sets whether a parent must approve purchases."""
        return self._control.update_customer(self.name, asksToBuy=asks)

    # Subscriptions. Without an argument, the only subscription.

    def cancel(self, which: Which = None) -> ActionInfo:
        """Turns auto-renew off."""
        return self._control.cancel_subscription(self._subscription(which))

    def resume(self, which: Which = None) -> ActionInfo:
        """Turns auto-renew on."""
        return self._control.resume_subscription(self._subscription(which))

    def change(self, product_id: str, which: Which = None, **options) -> Purchase:
        """Changes to another product of the subscription group."""
        info = self._control.change_subscription(self._subscription(which), product_id, include=PARTS, **options)
        return Purchase(info)

    def extend(self, days: int, which: Which = None, **options) -> ActionInfo:
        """The App Store extends the current period."""
        return self._control.extend_subscription(self._subscription(which), days, **options)

    # Payment

    def decline_card(self, *, purchases: bool = False) -> CustomerChange:
        """Renewals fail from now on; with `purchases`, purchases fail, too."""
        return self._control.update_customer(self.name, card="declined" if purchases else "declinedForRenewals")

    def accept_card(self) -> CustomerChange:
        """Charges succeed from now on. Subscriptions in billing retry are charged immediately."""
        return self._control.update_customer(self.name, card="accepted")

    # Refunds. Without an argument, the latest transaction.

    def refund(self, which: Which = None, *, percentage: Optional[float] = None, **options) -> ActionInfo:
        """The App Store refunds a transaction. With `percentage`, it refunds this part: 50 is the half. Options:
        `share` ("FULL", "UNUSED", "PART"), `reason`, `at`."""
        # The control API has thousandths of a percent, as the transaction has in revocationPercentage.
        if percentage is not None:
            if not 0 < percentage < 100:
                raise TillError(f"percentage is {percentage}. Use more than 0 and less than 100; without it, all.")
            options = {"share": "PART", "percentage": round(percentage * 1_000), **options}
        return self._control.refund_transaction(self._transaction(which), **options)

    def reverse_refund(self, which: Which = None) -> ActionInfo:
        """The App Store reverses a refund."""
        return self._control.reverse_refund(self._transaction(which))

    def request_refund(self, which: Which = None, **options) -> ActionInfo:
        """The customer requests a refund, and the App Store asks your server about it (CONSUMPTION_REQUEST)."""
        return self._control.request_refund(self._transaction(which), **options)

    def decline_refund(self, which: Which = None) -> ActionInfo:
        """The App Store declines a refund request."""
        return self._control.decline_refund(self._transaction(which))

    # What the App Store knows

    @property
    def info(self) -> CustomerInfo:
        """The customer, with the owned products and the subscriptions."""
        return self._control.get_customer(self.name)

    @property
    def subscription(self) -> SubscriptionInfo:
        """The only subscription of the customer."""
        found = self.info.subscriptions
        if len(found) != 1:
            names = ", ".join(item.productId for item in found) or "none"
            raise TillError(f"{self.name} has not exactly one subscription: {names}. Name one of its transactions.")
        return found[0]

    @property
    def transactions(self) -> List[LedgerEntryInfo]:
        """The latest hundred transactions, most recent change first."""
        return self._control.list_transactions(self.name, limit=100).transactions

    @property
    def held_purchases(self) -> List[HeldPurchaseInfo]:
        """The purchases that wait for approval."""
        return self._control.list_held_purchases(self.name)

    @property
    def receipt(self) -> str:
        """The app receipt of the customer's device, Base64."""
        return self._control.get_receipt(self.name).receipt

    def _subscription(self, which: Which) -> str:
        return self.subscription.originalTransactionId if which is None else _id(which)

    def _transaction(self, which: Which) -> str:
        if which is not None:
            return _id(which)
        found = self._control.list_transactions(self.name, limit=1).transactions
        if not found:
            raise TillError(f"{self.name} has no transaction.")
        return found[0].transactionId


def _id(which: Union[Purchase, str]) -> str:
    return which.transactionId if isinstance(which, Purchase) else str(which)
