"""The objects in answers of the control API, with the names of the contract.

Generated from the OpenAPI document by TestLibraries/python/generate.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional


@dataclass(frozen=True)
class ActionInfo:
    """The result of an operation on a transaction or on a subscription."""
    transaction: TransactionInfo
    events: List[str]
    notifications: List[str]
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class AdvanceProgressInfo:
    """The progress of an advance."""
    from_: int
    to: int
    accounts: int
    notifications: int


@dataclass(frozen=True)
class AdvanceReportInfo:
    """The result of an advance."""
    from_: int
    to: int
    accounts: int
    notifications: List[NotificationCountInfo]
    quarantined: List[str]
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class AppInfo:
    """An app."""
    bundleId: str
    appAppleId: int
    name: str
    issuerId: str


@dataclass(frozen=True)
class AttackInfo:
    """A case of the attack pack, signed for this request."""
    case: str
    wrong: str
    mustBeRefused: bool
    refusal: Optional[str] = None
    signedPayload: Optional[str] = None
    signedTransactionInfo: Optional[str] = None
    status: Optional[int] = None
    receipt: Optional[str] = None
    deviceId: Optional[str] = None


@dataclass(frozen=True)
class AuthorityInfo:
    """A root certificate, and the chain under it that signs now."""
    rootCertificate: str
    rootFingerprint: str
    chainId: str
    chain: str


@dataclass(frozen=True)
class BillingPlanInfo:
    """A billing plan: the whole period is billed upfront, or a commitment of a year is billed monthly."""
    kind: str
    price: str
    currency: Optional[str] = None
    prices: Optional[Dict[str, PriceInfo]] = None
    commitment: Optional[PriceListInfo] = None
    enabled: Optional[bool] = None


@dataclass(frozen=True)
class CatalogImportInfo:
    """The result of an import."""
    products: int
    groups: int
    offers: int
    removedFromSale: int
    version: Optional[str] = None
    offerKeyId: Optional[str] = None


@dataclass(frozen=True)
class CatalogInfo:
    """The products that an app sells, in both environments."""
    products: List[ProductInfo]
    groups: Optional[List[GroupInfo]] = None
    settings: Optional[CatalogSettingsInfo] = None


@dataclass(frozen=True)
class CatalogSettingsInfo:
    """The settings of a catalog."""
    storefront: Optional[str] = None
    locale: Optional[str] = None
    timeRate: Optional[int] = None
    billingGracePeriodEnabled: Optional[bool] = None
    renewalBillingIssuesEnabled: Optional[bool] = None
    askToBuyEnabled: Optional[bool] = None
    appAppleId: Optional[int] = None


@dataclass(frozen=True)
class ClockInfo:
    """A clock."""
    mode: str
    now: int
    name: Optional[str] = None
    speed: Optional[int] = None
    advance: Optional[AdvanceProgressInfo] = None
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class CommitmentInfo:
    """A commitment of a year with monthly payments."""
    period: int
    periods: int
    expiresDate: int
    renews: bool


@dataclass(frozen=True)
class CustomerChange:
    """A customer, and what an operation caused."""
    customer: CustomerInfo
    events: List[str]
    notifications: List[str]
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class CustomerInfo:
    """A customer of an app in an environment."""
    customer: str
    appTransactionId: str
    storefront: str
    hasAppTransaction: bool
    card: str
    asksToBuy: bool
    heldPurchases: int
    refundRequests: int
    transactions: int
    owned: List[str]
    subscriptions: List[SubscriptionInfo]
    family: Optional[str] = None
    clock: Optional[str] = None
    created: Optional[bool] = None


@dataclass(frozen=True)
class CustomerList:
    """A page of customers."""
    customers: List[CustomerInfo]
    damaged: Optional[List[str]] = None
    next: Optional[str] = None


@dataclass(frozen=True)
class DeliveryAttemptInfo:
    """A delivery attempt."""
    attemptDate: int
    sendAttemptResult: str
    milliseconds: int
    status: Optional[int] = None
    reason: Optional[str] = None


@dataclass(frozen=True)
class DeliveryInfo:
    """The delivery of a notification to one endpoint."""
    endpoint: str
    isDelivered: bool
    attempts: List[DeliveryAttemptInfo]
    nextAttemptDate: Optional[int] = None


@dataclass(frozen=True)
class DeviceData:
    """The data that StoreKit gives to the app on the customer's device."""
    deviceId: str
    signedTransactionInfo: str
    signedAppTransactionInfo: Optional[str] = None
    appReceipt: Optional[str] = None


@dataclass(frozen=True)
class EndpointInfo:
    """An endpoint: the URL of a developer's server that receives notifications."""
    name: str
    url: str
    types: List[str]
    version: int
    paused: Optional[bool] = None


@dataclass(frozen=True)
class ErasureInfo:
    """The numbers of erased objects; with dryRun, of objects that would be erased."""
    customer: str
    dryRun: bool
    transactions: int
    notificationsErased: int
    deliveries: int
    requestLogEntries: int
    faults: int
    notifications: List[str]
    snapshots: List[str]
    removedSnapshots: List[str]
    family: Optional[str] = None
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class FamilyChange:
    """A family, and what an operation caused."""
    family: FamilyInfo
    events: List[str]
    notifications: List[str]
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class FamilyInfo:
    """A family."""
    name: str
    organizer: str
    members: List[str]


@dataclass(frozen=True)
class FaultRuleInfo:
    """A fault rule."""
    id: str
    kind: str
    seed: int
    seen: int
    struck: int
    environment: Optional[str] = None
    bundleId: Optional[str] = None
    route: Optional[str] = None
    endpoint: Optional[str] = None
    customer: Optional[str] = None
    percent: Optional[int] = None
    limit: Optional[int] = None
    until: Optional[int] = None
    code: Optional[int] = None
    retryAfter: Optional[int] = None
    milliseconds: Optional[int] = None
    spread: Optional[int] = None
    perHour: Optional[int] = None


@dataclass(frozen=True)
class FieldDifference:
    """A field of an object in two states."""
    name: str
    before: Optional[str] = None
    after: Optional[str] = None


@dataclass(frozen=True)
class GracePeriodInfo:
    """The grace period of an app's subscriptions."""
    days: int
    coverage: Optional[str] = None


@dataclass(frozen=True)
class GroupInfo:
    """A subscription group."""
    groupId: str
    name: Optional[str] = None
    localizations: Optional[List[LocalizationInfo]] = None


@dataclass(frozen=True)
class HeldPurchaseInfo:
    """A pending purchase."""
    number: int
    productId: str
    quantity: int
    reason: str
    heldDate: int


@dataclass(frozen=True)
class JobInfo:
    """A job: a bulk operation on the accounts of a product's customers."""
    jobId: str
    kind: str
    productId: str
    state: str
    effectiveDate: int
    succeeded: int
    failed: int
    completedDate: Optional[int] = None
    requestIdentifier: Optional[str] = None
    days: Optional[int] = None
    reasonCode: Optional[int] = None
    storefronts: Optional[List[str]] = None
    pendingClocks: Optional[List[str]] = None
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class KeyInfo:
    """A key of the App Store Server API, or a key that signs the offers of an app."""
    keyId: str
    issuerId: str
    name: str
    offersOf: Optional[str] = None
    bundleId: Optional[str] = None
    revokedDate: Optional[int] = None
    privateKey: Optional[str] = field(default=None, repr=False)


@dataclass(frozen=True)
class LedgerEntryInfo:
    """A transaction as the ledger has it, unsigned."""
    transactionId: str
    originalTransactionId: str
    productId: str
    type: str
    transactionReason: str
    inAppOwnershipType: str
    purchaseDate: int
    quantity: int
    storefront: str
    isUpgraded: bool
    isFinished: bool
    availableActions: List[str]
    subscriptionGroupIdentifier: Optional[str] = None
    expiresDate: Optional[int] = None
    price: Optional[int] = None
    currency: Optional[str] = None
    orderId: Optional[str] = None
    offerType: Optional[int] = None
    offerIdentifier: Optional[str] = None
    offerDiscountType: Optional[str] = None
    revocationDate: Optional[int] = None
    revocationType: Optional[str] = None
    revocationPercentage: Optional[int] = None


@dataclass(frozen=True)
class LedgerEntryList:
    """A page of a customer's transactions."""
    transactions: List[LedgerEntryInfo]
    next: Optional[str] = None


@dataclass(frozen=True)
class LocalizationInfo:
    """A name and a description in one language."""
    locale: str
    displayName: Optional[str] = None
    description: Optional[str] = None


@dataclass(frozen=True)
class NotificationCountInfo:
    """The number of notifications of a type and subtype."""
    type: str
    count: int
    subtype: Optional[str] = None


@dataclass(frozen=True)
class NotificationInfo:
    """A notification."""
    notificationUUID: str
    notificationType: str
    version: int
    signedDate: int
    isTriggered: bool
    deliveries: List[DeliveryInfo]
    subtype: Optional[str] = None
    customer: Optional[str] = None
    originalTransactionId: Optional[str] = None
    transactionId: Optional[str] = None
    signedPayload: Optional[str] = None
    payload: Optional[Dict[str, Any]] = None
    transactionInfo: Optional[Dict[str, Any]] = None
    renewalInfo: Optional[Dict[str, Any]] = None
    testNotificationToken: Optional[str] = None
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class NotificationList:
    """A page of notifications."""
    notifications: List[NotificationInfo]
    next: Optional[str] = None


@dataclass(frozen=True)
class OfferInfo:
    """An offer of a product in the catalog."""
    kind: str
    mode: str
    id: Optional[str] = None
    referenceName: Optional[str] = None
    period: Optional[str] = None
    periodCount: Optional[int] = None
    price: Optional[str] = None
    currency: Optional[str] = None
    prices: Optional[Dict[str, PriceInfo]] = None
    audience: Optional[List[str]] = None
    redemptionLimit: Optional[int] = None
    stackable: Optional[bool] = None
    winBack: Optional[WinBackInfo] = None
    billingPlan: Optional[str] = None


@dataclass(frozen=True)
class PendingDeliveryInfo:
    """A delivery that has not succeeded yet, or failed."""
    notificationUUID: str
    notification: str
    endpoint: str
    sendAttemptResult: Optional[str] = None
    nextAttemptDate: Optional[int] = None
    paused: Optional[bool] = None


@dataclass(frozen=True)
class PortsInfo:
    """The ports of the server."""
    production: int
    sandbox: int
    control: int
    tls: Optional[int] = None
    proxy: Optional[int] = None


@dataclass(frozen=True)
class PriceIncreaseInfo:
    """A pending price increase."""
    price: int
    currency: str
    needsConsent: bool
    stage: str
    effectiveDate: Optional[int] = None


@dataclass(frozen=True)
class PriceInfo:
    """A price in one storefront."""
    price: str
    currency: Optional[str] = None


@dataclass(frozen=True)
class PriceListInfo:
    """A standard price, and the prices of single storefronts."""
    price: str
    currency: Optional[str] = None
    prices: Optional[Dict[str, PriceInfo]] = None


@dataclass(frozen=True)
class ProductInfo:
    """A product of the catalog."""
    productId: str
    type: str
    price: str
    referenceName: Optional[str] = None
    currency: Optional[str] = None
    prices: Optional[Dict[str, PriceInfo]] = None
    familyShareable: Optional[bool] = None
    forSale: Optional[bool] = None
    localizations: Optional[List[LocalizationInfo]] = None
    subscription: Optional[SubscriptionPlanInfo] = None
    offers: Optional[List[OfferInfo]] = None


@dataclass(frozen=True)
class PurchaseInfo:
    """The result of a purchase."""
    customer: str
    events: List[str]
    notifications: List[str]
    result: Optional[str] = None
    transaction: Optional[TransactionInfo] = None
    held: Optional[int] = None
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class ReceiptInfo:
    """A receipt."""
    receipt: str


@dataclass(frozen=True)
class RefundRequestInfo:
    """An undecided refund request."""
    customer: str
    transactionId: str
    reason: str
    requestedDate: int
    decidedBy: str
    decisionDate: Optional[int] = None
    refundPreference: Optional[str] = None
    consumptionPercentage: Optional[int] = None


@dataclass(frozen=True)
class RefundRequestList:
    """A page of refund requests."""
    refundRequests: List[RefundRequestInfo]
    damaged: Optional[List[str]] = None
    next: Optional[str] = None


@dataclass(frozen=True)
class RequestInfo:
    """A logged request."""
    requestId: str
    date: int
    environment: str
    method: str
    path: str
    status: int
    explanation: str
    errorCode: Optional[int] = None
    bundleId: Optional[str] = None
    keyId: Optional[str] = None
    milliseconds: Optional[int] = None
    requestBody: Optional[str] = None
    responseBody: Optional[str] = None


@dataclass(frozen=True)
class RequestList:
    """A page of the request log."""
    entries: List[RequestInfo]
    next: Optional[str] = None


@dataclass(frozen=True)
class ResendInfo:
    """The result of resending."""
    pending: int
    settled: Optional[SettledInfo] = None


@dataclass(frozen=True)
class SearchMatch:
    """What a search has found."""
    kind: str
    isExact: bool
    environment: str
    bundleId: Optional[str] = None
    customer: Optional[str] = None
    transactionId: Optional[str] = None
    productId: Optional[str] = None
    notificationUUID: Optional[str] = None
    notificationType: Optional[str] = None
    requestId: Optional[str] = None
    date: Optional[int] = None


@dataclass(frozen=True)
class SearchResults:
    """A page of search results."""
    matches: List[SearchMatch]
    next: Optional[str] = None


@dataclass(frozen=True)
class SettingsInfo:
    """The settings of an environment."""
    rate: str
    refundRule: str
    released: bool
    payloadProfile: str
    missingPrice: str
    grace: Optional[GracePeriodInfo] = None


@dataclass(frozen=True)
class SettledInfo:
    """The deliveries that an operation caused, at the end of the wait."""
    delivered: int
    pending: int
    pendingDeliveries: List[PendingDeliveryInfo]


@dataclass(frozen=True)
class SharedSecretInfo:
    """A shared secret."""
    from_: str
    sharedSecret: Optional[str] = field(default=None, repr=False)


@dataclass(frozen=True)
class SnapshotComparison:
    """A page of the differences between two states of an app."""
    bundleId: str
    from_: str
    differences: List[StateDifference]
    to: Optional[str] = None
    next: Optional[str] = None


@dataclass(frozen=True)
class SnapshotInfo:
    """A snapshot."""
    name: str
    savedAt: int
    customers: int
    transactions: int
    notifications: int
    bundleId: Optional[str] = None


@dataclass(frozen=True)
class StateDifference:
    """An object in which two states differ."""
    object: str
    change: str
    environment: str
    customer: Optional[str] = None
    transactionId: Optional[str] = None
    productId: Optional[str] = None
    notificationUUID: Optional[str] = None
    notificationType: Optional[str] = None
    date: Optional[int] = None
    fields: Optional[List[FieldDifference]] = None


@dataclass(frozen=True)
class StatusInfo:
    """The status of the server."""
    version: str
    ports: PortsInfo
    rootFingerprint: str
    dataDirectory: Optional[str] = None
    rootCertificate: Optional[str] = None
    tls: Optional[TLSInfo] = None


@dataclass(frozen=True)
class SubscriptionInfo:
    """A subscription of a customer."""
    subscriptionGroupIdentifier: str
    originalTransactionId: str
    transactionId: str
    productId: str
    inAppOwnershipType: str
    status: int
    summary: str
    expiresDate: int
    autoRenewStatus: int
    autoRenewProductId: str
    isShared: bool
    availableActions: List[str]
    renewalPrice: Optional[int] = None
    currency: Optional[str] = None
    offerIdentifier: Optional[str] = None
    renewalBillingPlanType: Optional[str] = None
    expirationIntent: Optional[int] = None
    gracePeriodExpiresDate: Optional[int] = None
    billingRetryUntil: Optional[int] = None
    priceIncrease: Optional[PriceIncreaseInfo] = None
    commitment: Optional[CommitmentInfo] = None
    eligibleWinBackOfferIds: Optional[List[str]] = None


@dataclass(frozen=True)
class SubscriptionPlanInfo:
    """The place of an auto-renewable subscription in its group."""
    groupId: str
    level: int
    period: str
    billingPlans: Optional[List[BillingPlanInfo]] = None


@dataclass(frozen=True)
class TLSInfo:
    """How clients reach the server with TLS: the port, the proxy, the host names and the root certificate."""
    address: str
    port: int
    names: List[str]
    rootCertificate: str
    rootFingerprint: str
    rootFile: str
    bundleFile: str
    javaTrustStoreFile: str
    serverCertificateEndDate: int
    proxyPort: Optional[int] = None


@dataclass(frozen=True)
class TeamInfo:
    """A team."""
    issuerId: str
    name: str


@dataclass(frozen=True)
class TransactionInfo:
    """A transaction."""
    customer: str
    transactionId: str
    originalTransactionId: str
    appTransactionId: str
    productId: str
    quantity: int
    purchaseDate: int
    availableActions: List[str]
    webOrderLineItemId: Optional[str] = None
    orderId: Optional[str] = None
    price: Optional[int] = None
    currency: Optional[str] = None
    expiresDate: Optional[int] = None
    revocationDate: Optional[int] = None
    revocationType: Optional[str] = None
    revocationPercentage: Optional[int] = None
    signedTransactionInfo: Optional[str] = None
    signedRenewalInfo: Optional[str] = None
    device: Optional[DeviceData] = None
    subscription: Optional[SubscriptionInfo] = None
    refundRequest: Optional[RefundRequestInfo] = None


@dataclass(frozen=True)
class UpcomingEventInfo:
    """An upcoming event."""
    date: int
    customer: str
    event: Optional[str] = None
    transactionId: Optional[str] = None


@dataclass(frozen=True)
class UpcomingEventList:
    """The next events on a clock."""
    events: List[UpcomingEventInfo]
    nextAttemptDate: Optional[int] = None


@dataclass(frozen=True)
class UsedOfferInfo:
    """An offer that a customer has used for a purchase or for a subscription."""
    offerType: int
    productId: str
    originalTransactionId: str
    firstUseDate: int
    lastUseDate: int
    transactions: int
    offerIdentifier: Optional[str] = None
    offerDiscountType: Optional[str] = None


@dataclass(frozen=True)
class WinBackInfo:
    """The conditions under which a former subscriber may redeem a win-back offer."""
    minimumPaidMonths: Optional[int] = None
    monthsSinceExpiry: Optional[List[int]] = None
    monthsBetweenOffers: Optional[int] = None
