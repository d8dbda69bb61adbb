// Made by generate.js from the OpenAPI document of the control API. Do not edit.

/** The values and the answer of each operation of `ControlClient.call`. */
export interface Operations {
  /** Shows the server's version, ports and data directory, and how clients reach it under the App Store's host names. */
  getStatus: { input: {}; output: StatusInfo };
  /** Backs up all data to a new folder while the server runs. Works with SQLite and PostgreSQL. */
  createBackup: { input: CreateBackup; output: BackupInfo };
  /** Deletes notifications older than the retention period. Keeps those with pending deliveries. */
  pruneNotifications: { input: { days?: number; dryRun?: boolean }; output: PruneInfo };
  /** Lists all teams. */
  listTeams: { input: {}; output: Array<TeamInfo> };
  /** Creates a team. */
  createTeam: { input: CreateTeam; output: TeamInfo };
  /** Lists all apps. */
  listApps: { input: {}; output: Array<AppInfo> };
  /** Creates an app, and a team if there is none. */
  createApp: { input: CreateApp; output: AppInfo };
  /** Shows one app. */
  getApp: { input: { bundleId: string }; output: AppInfo };
  /** Lists all API keys, without their private keys, which Till does not store. */
  listKeys: { input: {}; output: Array<KeyInfo> };
  /** Creates an API key. Only this answer contains the private key. */
  createKey: { input: CreateKey; output: KeyInfo };
  /** Revokes a key permanently. The key stays in the list, with its revocation date. */
  revokeKey: { input: { keyId: string; bundleId?: string }; output: KeyInfo };
  /** Shows the shared secret that verifyReceipt requires for an app. */
  getSharedSecret: { input: { bundleId: string }; output: SharedSecretInfo };
  /** Sets or removes the shared secret of an app, which applies instead of the team's primary secret. */
  setSharedSecret: { input: { bundleId: string } & SharedSecretChange; output: SharedSecretInfo };
  /** Sets or removes the primary shared secret of a team, for apps that have no secret of their own. */
  setPrimarySharedSecret: { input: { issuerId: string } & SharedSecretChange; output: SharedSecretInfo };
  /** Lists the named control API tokens by name, without the tokens themselves, which Till does not store. */
  listTokens: { input: {}; output: Array<TokenInfo> };
  /** Creates a control API token. Only this answer contains the token. */
  createToken: { input: CreateToken; output: TokenInfo };
  /** Revokes a token. The next request with this token is refused. */
  revokeToken: { input: { tokenName: string }; output: undefined };
  /** Imports an Xcode .storekit file, version 1.0 to 5.0, into the app's catalog. */
  importStoreKitFile: { input: { bundleId: string } & JSONObject; output: CatalogImportInfo };
  /** Shows the app's catalog. */
  getCatalog: { input: { bundleId: string }; output: CatalogInfo };
  /** Replaces the app's catalog. Products that the new catalog lacks are removed from sale. */
  putCatalog: { input: { bundleId: string } & CatalogInfo; output: CatalogInfo };
  /** Adds a product, or replaces the product with the same identifier. */
  putProduct: { input: { bundleId: string } & ProductInfo; output: ProductInfo };
  /** Adds a subscription group, or renames the group with the same identifier. */
  putGroup: { input: { bundleId: string } & GroupInfo; output: GroupInfo };
  /** Removes a product from sale, so that its subscriptions do not renew, or restores it. */
  setForSale: { input: { bundleId: string; productId: string } & SetForSale; output: ProductInfo };
  /** Lists customers, oldest first, in pages. */
  listCustomers: { input: { bundleId: string; environment: StoreEnvironment; after?: string; limit?: number }; output: CustomerList };
  /** Creates a customer. An existing customer is not changed. */
  createCustomer: { input: { bundleId: string; environment: StoreEnvironment } & CreateCustomer; output: CustomerInfo };
  /** Shows one customer, with subscriptions and owned products. */
  getCustomer: { input: { bundleId: string; environment: StoreEnvironment; customer: string }; output: CustomerInfo };
  /** Changes a customer's payment method, Ask to Buy or clock. The request contains at least one of the three; the server changes all that it contains, or nothing. Accepting the card charges failed payments at once. */
  updateCustomer: { input: { bundleId: string; environment: StoreEnvironment; customer: string; settle?: number } & UpdateCustomer; output: CustomerChange };
  /** Permanently erases a customer and all data about the customer in this app and environment. */
  eraseCustomer: { input: { bundleId: string; environment: StoreEnvironment; customer: string; dryRun?: boolean; removeSnapshots?: boolean; settle?: number }; output: ErasureInfo };
  /** Creates a customer from the answers of another App Store server. The customer gets a frozen clock that begins at the time of the answers, and keeps the ids of the source. Nothing is written to the source. */
  importCustomer: { input: { bundleId: string; environment: StoreEnvironment; customer: string; clock?: string; anonymize?: boolean } & CustomerAnswers; output: CustomerImportInfo };
  /** Lists a customer's transactions, the most recently changed first, in pages. */
  listTransactions: { input: { bundleId: string; environment: StoreEnvironment; customer: string; after?: string; limit?: number }; output: LedgerEntryList };
  /** Lists the offers that a customer has used, in the order of their first use: introductory, promotional and win-back offers, and offer codes. */
  listUsedOffers: { input: { bundleId: string; environment: StoreEnvironment; customer: string }; output: Array<UsedOfferInfo> };
  /** Makes a purchase. Creates the customer if necessary. Answers 200 for an owned non-consumable. */
  buyProduct: { input: { bundleId: string; environment: StoreEnvironment; customer: string; include?: Array<TransactionPart>; settle?: number } & BuyProduct; output: PurchaseInfo };
  /** Shows a transaction, signed now, with the data that the device gives to the app. */
  getTransaction: { input: { bundleId: string; environment: StoreEnvironment; transactionId: string; deviceId?: string; include?: Array<TransactionPart> }; output: TransactionInfo };
  /** Finishes a transaction, as the app does on the customer's device. */
  finishTransaction: { input: { bundleId: string; environment: StoreEnvironment; transactionId: string; include?: Array<TransactionPart>; settle?: number }; output: ActionInfo };
  /** Lists a customer's pending purchases, oldest first. */
  listHeldPurchases: { input: { bundleId: string; environment: StoreEnvironment; customer: string }; output: Array<HeldPurchaseInfo> };
  /** Approves or completes a pending purchase. */
  approvePurchase: { input: { bundleId: string; environment: StoreEnvironment; customer: string; number: number; include?: Array<TransactionPart>; settle?: number } & ApprovePurchase; output: PurchaseInfo };
  /** Declines a pending purchase. */
  declinePurchase: { input: { bundleId: string; environment: StoreEnvironment; customer: string; number: number; settle?: number } & ActionTime; output: CustomerChange };
  /** Shows the current app receipt of a customer's device, or the receipt of one transaction in the format of iOS 6. */
  getReceipt: { input: { bundleId: string; environment: StoreEnvironment; customer: string; transactionId?: string; deviceId?: string }; output: ReceiptInfo };
  /** Shows one subscription with its latest transaction. */
  getSubscription: { input: { bundleId: string; environment: StoreEnvironment; originalTransactionId: string; include?: Array<TransactionPart> }; output: TransactionInfo };
  /** Turns off auto-renew. The paid period continues to its end. */
  cancelSubscription: { input: { bundleId: string; environment: StoreEnvironment; originalTransactionId: string; include?: Array<TransactionPart>; settle?: number } & ActionTime; output: ActionInfo };
  /** Turns auto-renew on again. */
  resumeSubscription: { input: { bundleId: string; environment: StoreEnvironment; originalTransactionId: string; include?: Array<TransactionPart>; settle?: number } & ActionTime; output: ActionInfo };
  /** Changes to another product of the group, applies an offer, or changes the billing plan. */
  changeSubscription: { input: { bundleId: string; environment: StoreEnvironment; originalTransactionId: string; include?: Array<TransactionPart>; settle?: number } & ChangeSubscription; output: PurchaseInfo };
  /** Extends the current period of a subscription free of charge. */
  extendSubscription: { input: { bundleId: string; environment: StoreEnvironment; originalTransactionId: string; include?: Array<TransactionPart>; settle?: number } & ExtendSubscription; output: ActionInfo };
  /** Accepts a price increase for the customer. */
  acceptPriceIncrease: { input: { bundleId: string; environment: StoreEnvironment; originalTransactionId: string; include?: Array<TransactionPart>; settle?: number } & ActionTime; output: ActionInfo };
  /** Declines a price increase for the customer, and turns off auto-renew. */
  declinePriceIncrease: { input: { bundleId: string; environment: StoreEnvironment; originalTransactionId: string; include?: Array<TransactionPart>; settle?: number } & ActionTime; output: ActionInfo };
  /** Refunds a transaction in full or in part, or the unused part of a subscription's period. */
  refundTransaction: { input: { bundleId: string; environment: StoreEnvironment; transactionId: string; include?: Array<TransactionPart>; settle?: number } & RefundTransaction; output: ActionInfo };
  /** Reverses a refund after a dispute with the customer. */
  reverseRefund: { input: { bundleId: string; environment: StoreEnvironment; transactionId: string; include?: Array<TransactionPart>; settle?: number } & ActionTime; output: ActionInfo };
  /** Requests a refund. The environment's refund rule decides, or the operator decides. */
  requestRefund: { input: { bundleId: string; environment: StoreEnvironment; transactionId: string; include?: Array<TransactionPart>; settle?: number } & RequestRefund; output: ActionInfo };
  /** Declines a refund request. */
  declineRefund: { input: { bundleId: string; environment: StoreEnvironment; transactionId: string; include?: Array<TransactionPart>; settle?: number } & ActionTime; output: ActionInfo };
  /** Lists the undecided refund requests of one customer, or of all customers in pages. */
  listRefundRequests: { input: { bundleId: string; environment: StoreEnvironment; customer?: string; after?: string }; output: RefundRequestList };
  /** Creates a family of two to six customers. Customers who do not exist are created, on the organizer's clock. */
  createFamily: { input: { bundleId: string; environment: StoreEnvironment; settle?: number } & CreateFamily; output: FamilyChange };
  /** Shows the family of a customer. */
  getFamily: { input: { bundleId: string; environment: StoreEnvironment; customer: string }; output: FamilyInfo };
  /** Removes the customer from the family. When the organizer leaves, the family ends. */
  leaveFamily: { input: { bundleId: string; environment: StoreEnvironment; customer: string; settle?: number }; output: CustomerChange };
  /** Adds another customer to this customer's family. */
  joinFamily: { input: { bundleId: string; environment: StoreEnvironment; customer: string; member: string; settle?: number } & JoinFamily; output: FamilyChange };
  /** Starts or stops sharing a purchase, which any of its transactions identifies, with the purchaser's family. */
  setSharing: { input: { bundleId: string; environment: StoreEnvironment; transactionId: string; include?: Array<TransactionPart>; settle?: number } & SetSharing; output: ActionInfo };
  /** Raises the price of a subscription. New customers pay it at once; subscribers are notified first. */
  raisePrice: { input: { bundleId: string; environment: StoreEnvironment; productId: string; settle?: number } & RaisePrice; output: JobInfo };
  /** Turns on Family Sharing for a product. Families then share what their members own. */
  shareProduct: { input: { bundleId: string; environment: StoreEnvironment; productId: string; settle?: number } & ActionTime; output: JobInfo };
  /** Extends the current period of all subscribers of a product. */
  extendAll: { input: { bundleId: string; environment: StoreEnvironment; settle?: number } & ExtendAll; output: JobInfo };
  /** Lists the jobs of the app's environment by effective date. */
  listJobs: { input: { bundleId: string; environment: StoreEnvironment }; output: Array<JobInfo> };
  /** Shows one job. */
  getJob: { input: { bundleId: string; environment: StoreEnvironment; jobId: string }; output: JobInfo };
  /** Shows a clock, and the progress of its advance. */
  getClock: { input: { bundleId: string; environment: StoreEnvironment; clock?: string }; output: ClockInfo };
  /** Freezes a clock, runs it at a speed, or sets it to real time. A clock never goes back. */
  setClock: { input: { bundleId: string; environment: StoreEnvironment; settle?: number } & SetClock; output: ClockInfo };
  /** Advances a clock, and processes every event that is due before the new time. */
  advanceClock: { input: { bundleId: string; environment: StoreEnvironment; settle?: number } & AdvanceClock; output: AdvanceReportInfo };
  /** Lists the customer clocks by name. */
  listClocks: { input: { bundleId: string; environment: StoreEnvironment }; output: Array<ClockInfo> };
  /** Creates a customer clock. */
  createClock: { input: { bundleId: string; environment: StoreEnvironment } & CreateClock; output: ClockInfo };
  /** Deletes a customer clock that no customer uses and that has no pending deliveries. */
  deleteClock: { input: { bundleId: string; environment: StoreEnvironment; clock: string }; output: undefined };
  /** Lists the upcoming events on a clock, earliest first, and the date of the next delivery. */
  listUpcomingEvents: { input: { bundleId: string; environment: StoreEnvironment; clock?: string; limit?: number }; output: UpcomingEventList };
  /** Shows the settings of the app's environment. */
  getSettings: { input: { bundleId: string; environment: StoreEnvironment }; output: SettingsInfo };
  /** Changes the settings in the body. All other settings stay as they are. */
  updateSettings: { input: { bundleId: string; environment: StoreEnvironment } & UpdateSettings; output: SettingsInfo };
  /** Lists the endpoints, primary first. While till listen runs, it is an endpoint, too. */
  listEndpoints: { input: { bundleId: string; environment: StoreEnvironment }; output: Array<EndpointInfo> };
  /** Sets the URL and the notification types of an endpoint. */
  setEndpoint: { input: { bundleId: string; environment: StoreEnvironment; endpoint: string } & SetEndpoint; output: EndpointInfo };
  /** Changes what the request contains of an endpoint, and leaves the rest. */
  updateEndpoint: { input: { bundleId: string; environment: StoreEnvironment; endpoint: string } & UpdateEndpoint; output: EndpointInfo };
  /** Removes an endpoint and discards its pending deliveries. */
  removeEndpoint: { input: { bundleId: string; environment: StoreEnvironment; endpoint: string }; output: undefined };
  /** Lists notifications, newest first, in pages. More pages may follow a short or empty page. */
  listNotifications: { input: { bundleId: string; environment: StoreEnvironment; type?: string; customer?: string; failed?: boolean; endpoint?: string; from?: number; to?: number; after?: string; limit?: number }; output: NotificationList };
  /** Sends a notification of any type and subtype, with the current data. Changes no data. */
  triggerNotification: { input: { bundleId: string; environment: StoreEnvironment; settle?: number } & TriggerNotification; output: NotificationInfo };
  /** Resends a notification, or all notifications created between two times, with exactly the same bytes. */
  resendNotifications: { input: { bundleId: string; environment: StoreEnvironment; settle?: number } & ResendNotifications; output: ResendInfo };
  /** Shows a notification with its decoded payloads and every delivery attempt. */
  getNotification: { input: { bundleId: string; environment: StoreEnvironment; notificationUUID: string }; output: NotificationInfo };
  /** Waits for the next notification that the client must forward as the primary endpoint. */
  listen: { input: { bundleId: string; environment: StoreEnvironment; wait?: number }; output: DeliveryOfferInfo };
  /** Reports the result of a forwarded notification: `status`, or `result` if the local server returned no status. */
  answerDelivery: { input: { bundleId: string; environment: StoreEnvironment; deliveryToken: string } & AnswerDelivery; output: undefined };
  /** Lists logged requests, newest first: refused requests, or all with --request-log-all. */
  listRequests: { input: { refused?: boolean; bundleId?: string; path?: string; status?: number; after?: string; limit?: number }; output: RequestList };
  /** Shows a logged request, and why it was refused. */
  explainRequest: { input: { requestId: string }; output: RequestInfo };
  /** Lists the audit log, newest first: who called which operation, on what, and with which result. */
  listAuditRecords: { input: { caller?: string; operationId?: string; bundleId?: string; failed?: boolean; from?: number; to?: number; after?: string; limit?: number }; output: AuditRecordList };
  /** Shows the root certificate and the signing chain. */
  getAuthority: { input: { receipts?: boolean }; output: AuthorityInfo };
  /** Issues a new leaf and intermediate under the same root. Existing signatures stay valid. */
  rotateChain: { input: {}; output: AuthorityInfo };
  /** Lists the OCSP status of the leaf and intermediate certificates of all chains under the root. */
  getRevocation: { input: {}; output: Array<CertificateInfo> };
  /** Sets the OCSP status of the leaf, the intermediate, a serial number, or all certificates. */
  setRevocation: { input: { certificate: string } & SetRevocation; output: Array<CertificateInfo> };
  /** Creates the attack pack: signed data or receipts with one flaw each, which a correct verifier refuses. */
  listAttacks: { input: { bundleId: string; environment: StoreEnvironment; receipts?: boolean; case?: AttackCase; transactionId?: string }; output: Array<AttackInfo> };
  /** Lists the fault rules, oldest first, with the number of affected calls of each. */
  listFaults: { input: {}; output: Array<FaultRuleInfo> };
  /** Adds a fault rule. */
  addFault: { input: AddFault; output: FaultRuleInfo };
  /** Removes a fault rule, all fault rules of an app, or all fault rules. */
  removeFaults: { input: { faultId?: string; bundleId?: string }; output: undefined };
  /** Erases all activity: customers, purchases, notifications, clocks and fault rules. */
  reset: { input: { bundleId?: string; everything?: boolean; confirm?: string }; output: undefined };
  /** Exports the current state, including shared secrets, as one line of JSON for each row. */
  exportState: { input: { bundleId?: string }; output: Record<string, unknown> };
  /** Replaces the current state with an exported state, completely or not at all. */
  importState: { input: { confirm?: string }; output: StateImportInfo };
  /** Lists the snapshots by name. */
  listSnapshots: { input: {}; output: Array<SnapshotInfo> };
  /** Saves the current state as a snapshot, and replaces an existing snapshot of that name. */
  saveSnapshot: { input: { name: string; bundleId?: string }; output: SnapshotInfo };
  /** Deletes a snapshot. */
  removeSnapshot: { input: { name: string }; output: undefined };
  /** Restores the state exactly as it was saved. Waits for running operations. */
  restoreSnapshot: { input: { name: string; confirm?: string }; output: SnapshotInfo };
  /** Compares one app in a snapshot with the same app in another snapshot, or with the current state: which customers, renewals, transactions and notifications were added, changed or removed. */
  compareSnapshots: { input: { name: string; to?: string; bundleId?: string; after?: string; limit?: number }; output: SnapshotComparison };
  /** Finds customers, transactions, orders, app account tokens, notifications and logged requests, in both environments of all apps that the token may read. Exact matches are first, then customers whose names begin with the value. */
  search: { input: { value: string; bundleId?: string; environment?: StoreEnvironment; after?: string; limit?: number }; output: SearchResults };
  /** Answers while the process runs. */
  getHealth: { input: {}; output: HealthInfo };
  /** Answers 200 when Till can commit purchases. */
  getReadiness: { input: {}; output: HealthInfo };
  /** Metrics in the text format of Prometheus. */
  getMetrics: { input: {}; output: string };
}

/** The result of an operation on a transaction or on a subscription. */
export interface ActionInfo {
  /** The transaction after the operation; the latest one of a subscription. */
  transaction: TransactionInfo;
  /** The events, in chronological order. */
  events: Array<EventName>;
  /** The notifications about the events, in chronological order: the type, with its subtype after a slash. */
  notifications: Array<string>;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/** The time of the operation. */
export interface ActionTime {
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** Adds a fault rule. */
export interface AddFault {
  /** The kind of fault. */
  kind: FaultKind;
  /** The environment to which the rule is limited. */
  environment?: StoreEnvironment;
  /** The app to which the rule is limited. */
  bundleId?: string;
  /** The route to which the rule is limited, such as `getTransactionInfo`; for notifications, the type. */
  route?: string;
  /** The name of the endpoint to which the rule is limited; only for faults of notifications. */
  endpoint?: string;
  /** The customer to whom the rule is limited. */
  customer?: string;
  /** The percentage of matching calls or notifications that are affected; all by default. */
  percent?: number;
  /** The maximum number of affected calls or notifications; unlimited by default. A notification to several endpoints counts once. */
  limit?: number;
  /** When the rule ends, in milliseconds of real time since 1970. */
  until?: number;
  /** The error code, HTTP status, or status of verifyReceipt that is returned. */
  code?: number;
  /** The value of the Retry-After header of an error, in seconds. */
  retryAfter?: number;
  /** The length of the delay in milliseconds. For `reorder`, the longest time for which the notification is held back; 60,000 by default. */
  milliseconds?: number;
  /** The maximum of an additional random delay, in milliseconds. */
  spread?: number;
  /** The calls per hour that `rateLimit` allows; Apple's limit by default. */
  perHour?: number;
  /** The seed of the random numbers, to repeat a run. */
  seed?: number;
}

/** Advances a clock, and processes every event that is due before the new time. */
export interface AdvanceClock {
  /** The name of a customer clock; by default the environment's clock. */
  clock?: string;
  /** A duration by which to advance: `P1M`, `1mo`, `36h`, `PT36H`. */
  by?: string;
  /** The time to which to advance, in milliseconds since 1970. */
  to?: number;
  /** Whether to advance to the next scheduled event. */
  toNextEvent?: boolean;
}

/** The progress of an advance. */
export interface AdvanceProgressInfo {
  /** The time before the advance, in milliseconds since 1970. */
  from: number;
  /** The time after the advance, in milliseconds since 1970. */
  to: number;
  /** The number of accounts processed so far. */
  accounts: number;
  /** The number of notifications created so far. */
  notifications: number;
}

/** The result of an advance. All changes are stored. */
export interface AdvanceReportInfo {
  /** The time before the advance, in milliseconds since 1970. */
  from: number;
  /** The time after the advance, in milliseconds since 1970. */
  to: number;
  /** The number of accounts in which events occurred. */
  accounts: number;
  /** The number of created notifications, by type and subtype. */
  notifications: Array<NotificationCountInfo>;
  /** Customers in quarantine, because their accounts could not be processed. */
  quarantined: Array<string>;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/** Reports the result of a forwarded notification: `status`, or `result` if the local server returned no status. */
export interface AnswerDelivery {
  /** The HTTP status of the local server's answer. */
  status?: number;
  /** The error, if the local server returned no status. */
  result?: SendAttemptResult;
}

/** An app. */
export interface AppInfo {
  /** The bundle identifier. */
  bundleId: string;
  /** The app's Apple ID. */
  appAppleId: number;
  /** The app's name. */
  name: string;
  /** The issuer id of the app's team. */
  issuerId: string;
}

/** Approves or completes a pending purchase. */
export interface ApprovePurchase {
  /** The device id of the purchase, a UUID; a new one by default. */
  deviceId?: string;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/**
 * A case of the attack pack: signed data or a receipt with one defect, or valid data as a control (docs/operating/attack-pack.md).
 * - `control`: Valid data, to detect a verifier that rejects everything.
 * - `wrong-root`: The chain is issued under another root, which has the same name as the trusted root.
 * - `leaf-without-marker`: The leaf lacks the marker extension.
 * - `intermediate-without-marker`: The intermediate lacks the marker extension.
 * - `chain-of-two`: Only for signed data: `x5c` does not contain the root.
 * - `chain-of-four`: Only for signed data: `x5c` contains the root twice.
 * - `expired-leaf`: The leaf expired the day before the data was signed.
 * - `leaf-not-yet-valid`: The leaf becomes valid the day after the data was signed.
 * - `tampered-payload`: The payload was changed after signing.
 * - `tampered-signature`: One bit of the signature was flipped.
 * - `alg-none`: Only for signed data: `alg` is none, and the signature is empty.
 * - `hs256-public-key`: Only for signed data: `alg` is HS256, and the secret is the leaf's public key, which an attacker knows.
 * - `truncated`: Only for a receipt: the last bytes are missing.
 * - `trailing-bytes`: Only for a receipt: extra bytes follow at the end.
 * - `other-app`: Correctly signed data of another app.
 * - `other-environment`: Correctly signed data of the other environment.
 * - `renewal-info-as-transaction`: Only for signed data: correctly signed renewal info in place of the transaction.
 * - `replayed-notification`: Only for signed data: a correctly signed notification that is sent twice.
 * - `other-device`: Only for a receipt: correctly signed, with the hash of another device.
 * - `other-apps-hash`: Only for a receipt: correctly signed, with the hash of another app on the same device.
 * - `transaction-control`: Only for a receipt: a valid receipt of a single transaction.
 * - `transaction-wrong-signer`: Only for a receipt of a single transaction: signed by a certificate under another root.
 * - `transaction-tampered-purchase`: Only for a receipt of a single transaction: changed after signing.
 * - `transaction-tampered-signature`: Only for a receipt of a single transaction: one bit of the signature was flipped.
 */
export type AttackCase = "control" | "wrong-root" | "leaf-without-marker" | "intermediate-without-marker" | "chain-of-two" | "chain-of-four" | "expired-leaf" | "leaf-not-yet-valid" | "tampered-payload" | "tampered-signature" | "alg-none" | "hs256-public-key" | "truncated" | "trailing-bytes" | "other-app" | "other-environment" | "renewal-info-as-transaction" | "replayed-notification" | "other-device" | "other-apps-hash" | "transaction-control" | "transaction-wrong-signer" | "transaction-tampered-purchase" | "transaction-tampered-signature";

/** A case of the attack pack, signed for this request. */
export interface AttackInfo {
  /** The name of the case. */
  case: AttackCase;
  /** The flaw, in one sentence. */
  wrong: string;
  /** Whether a correct verifier refuses the case; false for valid data, and for a flaw that only a check of the device finds. */
  mustBeRefused: boolean;
  /** Only for signed data: the verification status with which Apple's libraries refuse the case. */
  refusal?: string;
  /** Only for signed data: a signed notification with the flaw. */
  signedPayload?: string;
  /** Only for signed data: a signed transaction with the same flaw. */
  signedTransactionInfo?: string;
  /** Only for a receipt: the status that Till's verifyReceipt returns for the correct password. */
  status?: number;
  /** Only for a receipt: the value for receipt-data, Base64 in one line. */
  receipt?: string;
  /** Only for a receipt: the id of the device that sends the receipt. */
  deviceId?: string;
}

/** A call of an operation. It contains no bodies and no secrets. */
export interface AuditRecordInfo {
  /** The request id, which the answer has in `X-Request-ID`. */
  requestId: string;
  /** When the operation began, in milliseconds of real time since 1970. */
  date: number;
  /** The name of the caller's token; administrator, loopback or console without a named token. */
  caller: string;
  /** The caller's network address; absent if unknown. */
  address?: string;
  /** The operation. */
  operationId: string;
  /** The app that the operation concerns; absent for an operation on the whole server. */
  bundleId?: string;
  /** The environment that the operation concerns. */
  environment?: string;
  /** The customer that the operation concerns; absent after the customer was erased. */
  customer?: string;
  /** The name or identifier of another object, such as a transaction id or the name of a token. */
  object?: string;
  /** The HTTP status of the answer. */
  status: number;
  /** The result: ok, or the code of the error. */
  result: string;
  /** The number of calls that the token did not permit and that this record stands for; absent for one call. */
  count?: number;
}

/** A page of the audit log. */
export interface AuditRecordList {
  /** The records, newest first. */
  records: Array<AuditRecordInfo>;
  /** The value of `after` for the next page; absent on the last page. */
  next?: string;
}

/** A root certificate, and the chain under it that signs now. */
export interface AuthorityInfo {
  /** The root certificate that verifiers must trust, PEM. */
  rootCertificate: string;
  /** The SHA-256 fingerprint of the root, hexadecimal. */
  rootFingerprint: string;
  /** The id of the chain that signs now. */
  chainId: string;
  /** The leaf, intermediate and root certificates, PEM. */
  chain: string;
}

/** A backup. */
export interface BackupInfo {
  /** The path of the folder. */
  directory: string;
  /** The tables of the backup. */
  tables: Array<BackupTableInfo>;
}

/** A table of the store or of a snapshot in a backup. */
export interface BackupTableInfo {
  /** The name of the table. */
  table: string;
  /** The number of rows. */
  rows: number;
  /** The checksum of all rows, hexadecimal. */
  sha256: string;
}

/** A billing plan: the whole period is billed upfront, or a commitment of a year is billed monthly. */
export interface BillingPlanInfo {
  /** The kind of billing plan. */
  kind: BillingPlanType;
  /** The price of one payment: a decimal amount. */
  price: string;
  /** The currency of the price, as an ISO 4217 code; by default that of the catalog's storefront. */
  currency?: string;
  /** Prices of single storefronts, by Alpha-3 code. */
  prices?: PriceInfoMap;
  /** The price of the whole commitment; only for `MONTHLY`, by default twelve times the price. */
  commitment?: PriceListInfo;
  /** Whether customers can choose the plan; true by default. */
  enabled?: boolean;
}

/** The kind of billing plan: `BILLED_UPFRONT` or `MONTHLY`. */
export type BillingPlanType = "BILLED_UPFRONT" | "MONTHLY";

/** Makes a purchase. Creates the customer if necessary. Answers 200 for an owned non-consumable. */
export interface BuyProduct {
  /** The product identifier. */
  productId: string;
  /** The quantity: 1 to 10 for consumables, otherwise 1. */
  quantity?: number;
  /** The storefront, an Alpha-3 code; the customer's storefront by default. */
  storefront?: string;
  /** The price of one unit in milliunits, instead of the catalog's price. */
  price?: number;
  /** The currency of price, as an ISO 4217 code. */
  currency?: string;
  /** The app account token, a UUID. */
  appAccountToken?: string;
  /** The offer. By default, the introductory offer applies if the customer is eligible. */
  offer?: OfferToApply;
  /** The billing plan: the year is billed upfront, or in monthly payments with a commitment. */
  billingPlan?: BillingPlanType;
  /** The customer's order to which the purchase is added. */
  orderId?: string;
  /** Whether the app finishes the transaction at once. */
  finished?: boolean;
  /** Whether the purchase is interrupted and stays pending until the customer completes it. */
  interrupted?: boolean;
  /** The device id of the purchase, a UUID; a new one by default. */
  deviceId?: string;
  /** The name of the customer clock of a new customer; by default the environment's clock. A customer who exists must already be on this clock. */
  clock?: string;
  /** Only for a new customer, and not with `clock`: creates a frozen customer clock with the customer's name, which shows this time, in milliseconds since 1970. */
  newClock?: number;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/**
 * The result of charges to a customer's card (docs/api/lifecycle.md, Billing).
 * - `accepted`: Purchases and renewals succeed.
 * - `declinedForRenewals`: Renewals fail. The customer's purchases succeed, as if the customer used another payment method for them.
 * - `declined`: Renewals and purchases fail, as with the setting of Apple's sandbox testers.
 */
export type Card = "accepted" | "declinedForRenewals" | "declined";

/** The result of an import. */
export interface CatalogImportInfo {
  /** The number of products in the file. */
  products: number;
  /** The number of subscription groups in the file. */
  groups: number;
  /** The number of offers in the file. */
  offers: number;
  /** The number of products that were removed from sale because the file lacks them. */
  removedFromSale: number;
  /** The version of the file format; absent if the file has none. */
  version?: string;
  /** The id of the key in the file, which now signs offers; absent if the file has none. */
  offerKeyId?: string;
}

/** The products that an app sells, in both environments. */
export interface CatalogInfo {
  /** The subscription groups. A group that only a product names is created with its id as its name. */
  groups?: Array<GroupInfo>;
  /** The products. */
  products: Array<ProductInfo>;
  /** The settings of the catalog. */
  settings?: CatalogSettingsInfo;
}

/** The settings of a catalog. */
export interface CatalogSettingsInfo {
  /** The storefront whose currency the standard prices have; USA by default. */
  storefront?: string;
  /** The language of the catalog; `en_US` by default. */
  locale?: string;
  /** Xcode's number for the subscription renewal rate. It is stored, but has no effect. */
  timeRate?: number;
  /** Stored, but without effect; see the environment settings. */
  billingGracePeriodEnabled?: boolean;
  /** Stored, but without effect; see the card of a customer. */
  renewalBillingIssuesEnabled?: boolean;
  /** Stored, but without effect; see the customers. */
  askToBuyEnabled?: boolean;
  /** The app's Apple ID. */
  appAppleId?: number;
}

/** A certificate and its OCSP status. */
export interface CertificateInfo {
  /** The serial number, hexadecimal. */
  serialNumber: string;
  /** The position of the certificate in its chain. */
  certificate: CertificatePosition;
  /** The id of the certificate's chain. */
  chainId: string;
  /** Whether this chain signs data now. */
  isCurrent: boolean;
  /** The OCSP status. */
  state: OCSPStatus;
  /** Only for revoked: the revocation date, in milliseconds since 1970. */
  revocationDate?: number;
  /** Only for revoked: the reason. */
  reason?: OCSPRevocationReason;
  /** Only for slow: the delay in milliseconds. */
  delay?: number;
  /** Only for error: the kind of error. */
  error?: OCSPFailure;
}

/**
 * The position of a certificate in its chain.
 * - `leaf`: The certificate that signs data.
 * - `intermediate`: The certificate that signs the leaf.
 * Later versions may add values.
 */
export type CertificatePosition = "leaf" | "intermediate" | (string & {});

/** Changes to another product of the group, applies an offer, or changes the billing plan. */
export interface ChangeSubscription {
  /** A product of the same subscription group; the current product for an offer. */
  productId: string;
  /** The offer. */
  offer?: OfferToApply;
  /** The billing plan: the year is billed upfront, or in monthly payments with a commitment. */
  billingPlan?: BillingPlanType;
  /** The app account token, a UUID. */
  appAccountToken?: string;
  /** The device id of the purchase, a UUID; a new one by default. */
  deviceId?: string;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** A clock. */
export interface ClockInfo {
  /** The name of a customer clock; absent for the environment's clock. */
  name?: string;
  /** The mode: real time, frozen, or running at a speed. */
  mode: ClockMode;
  /** The time that the clock shows, in milliseconds since 1970. */
  now: number;
  /** The speed of a running clock, as a multiple of real time. */
  speed?: number;
  /** The progress of an advance; present only while one is running. */
  advance?: AdvanceProgressInfo;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/**
 * The mode of a clock.
 * - `real`: The clock shows real time.
 * - `frozen`: The clock shows the same time until it is advanced.
 * - `running`: The clock runs at a multiple of real time.
 */
export type ClockMode = "real" | "frozen" | "running";

/** A commitment of a year with monthly payments. */
export interface CommitmentInfo {
  /** The number of the current month in the commitment, from 1. */
  period: number;
  /** The number of months in the commitment. */
  periods: number;
  /** The end of the commitment, in milliseconds since 1970. */
  expiresDate: number;
  /** Whether another commitment follows this one. */
  renews: boolean;
}

/**
 * What differs between two states.
 * - `customer`: A customer.
 * - `renewal`: The subscription of a customer: its status and its next renewal.
 * - `transaction`: A transaction.
 * - `notification`: A notification.
 * Later versions may add values.
 */
export type ComparedObject = "customer" | "renewal" | "transaction" | "notification" | (string & {});

/** `consumptionRequestReason`: the reason why a customer requests a refund. */
export type ConsumptionRequestReason = "UNINTENDED_PURCHASE" | "FULFILLMENT_ISSUE" | "UNSATISFIED_WITH_PURCHASE" | "LEGAL" | "OTHER";

/**
 * What a token of the control API permits. Each scope also permits everything that the scopes before it permit.
 * - `metrics`: Reading the server's metrics.
 * - `read`: Reading everything but secrets.
 * - `operate`: Changing customers, clocks, catalogs, endpoints, settings and faults.
 * - `administer`: Keys, tokens, certificates, backups, the audit log, and everything that replaces all data.
 */
export type ControlScope = "metrics" | "read" | "operate" | "administer";

/** Creates an app, and a team if there is none. */
export interface CreateApp {
  /** The bundle identifier: at most 155 letters, digits, dots and dashes, beginning with a letter or digit. */
  bundleId: string;
  /** The app's Apple ID; by default the next free one. */
  appAppleId?: number;
  /** The app's name; by default the bundle identifier. */
  name?: string;
  /** The issuer id of the team; required if there are several teams. */
  issuerId?: string;
}

/** Backs up all data to a new folder while the server runs. Works with SQLite and PostgreSQL. */
export interface CreateBackup {
  /** A folder on the server's machine that does not exist yet. */
  to: string;
}

/** Creates a customer clock. */
export interface CreateClock {
  /** The name: 1 to 64 letters, digits, dots, dashes or underscores. */
  name: string;
  /** The mode; `frozen` by default. */
  mode?: ClockMode;
  /** The time that the clock shows, in milliseconds since 1970; by default the time of the environment's clock. */
  at?: number;
  /** Only for `running`: the speed as a multiple of real time; 1 by default. */
  speed?: number;
}

/** Creates a customer. An existing customer is not changed. */
export interface CreateCustomer {
  /** The customer's name, 1 to 128 bytes. */
  customer: string;
  /** The storefront, an Alpha-3 code; the catalog's by default. */
  storefront?: string;
  /** False if the customer never downloaded the app and has no app transaction. */
  downloadsApp?: boolean;
  /** The platform on which the customer downloads the app. */
  platform?: PurchasePlatform;
  /** The downloaded app version; 1.0 by default. */
  applicationVersion?: string;
  /** The name of the customer clock of a new customer; by default the environment's clock. A customer who exists must already be on this clock. */
  clock?: string;
  /** Only for a new customer, and not with `clock`: creates a frozen customer clock with the customer's name, which shows this time, in milliseconds since 1970. */
  newClock?: number;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** Creates a family of two to six customers. Customers who do not exist are created, on the organizer's clock. */
export interface CreateFamily {
  /** The family's name; by default the organizer's name. */
  name?: string;
  /** The customer who organizes the family. */
  organizer: string;
  /** The other members. */
  members: Array<string>;
  /** The name of the customer clock of a new customer; by default the environment's clock. A customer who exists must already be on this clock. */
  clock?: string;
  /** Only for a new customer, and not with `clock`: creates a frozen customer clock with the customer's name, which shows this time, in milliseconds since 1970. */
  newClock?: number;
}

/** Creates an API key. Only this answer contains the private key. */
export interface CreateKey {
  /** The purpose of the key. */
  name?: string;
  /** The issuer id of the team; required if there are several teams. */
  issuerId?: string;
  /** The app with which the key is deleted; by default the key stays. The key is valid for all apps of the team. */
  bundleId?: string;
}

/** Creates a team. */
export interface CreateTeam {
  /** The team's name. */
  name: string;
  /** The issuer id, a UUID; by default a new one. */
  issuerId?: string;
}

/** Creates a control API token. Only this answer contains the token. */
export interface CreateToken {
  /** The owner or purpose of the token: 1 to 64 letters, digits, dots, dashes and underscores. The names administrator, loopback and console are reserved. */
  name: string;
  /** What the token permits; operate by default. */
  scope?: ControlScope;
  /** The bundle identifier of the only app that the token permits to read or change, with the scope read or operate; by default, all apps and the server itself. */
  bundleId?: string;
}

/**
 * An action that is possible now on a transaction or on a subscription.
 * - `finish`: The app finishes the transaction.
 * - `refund`: The whole price is refunded.
 * - `refundUnusedPart`: The price of the unused part of a subscription's period is refunded.
 * - `reverseRefund`: The refund is reversed.
 * - `requestRefund`: The customer requests a refund.
 * - `declineRefund`: The customer's refund request is declined.
 * - `cancel`: The customer turns auto-renew off.
 * - `resume`: The customer turns auto-renew on again.
 * - `resubscribe`: The customer subscribes to the ended subscription's product again.
 * - `change`: The customer changes to another product of the group, to another billing plan, or redeems an offer.
 * - `extend`: The current period is extended free of charge.
 * - `acceptPriceIncrease`: The customer accepts a price increase.
 * - `declinePriceIncrease`: The customer declines a price increase, which turns auto-renew off.
 * - `share`: The purchaser shares the purchase with the family again.
 * - `stopSharing`: The purchaser stops sharing the purchase with the family.
 * Later versions may add values.
 */
export type CustomerAction = "finish" | "refund" | "refundUnusedPart" | "reverseRefund" | "requestRefund" | "declineRefund" | "cancel" | "resume" | "resubscribe" | "change" | "extend" | "acceptPriceIncrease" | "declinePriceIncrease" | "share" | "stopSharing" | (string & {});

/** Answers of the App Store Server API about one customer, as a server sent them. In place of a signed value, an answer may contain its decoded payload. */
export interface CustomerAnswers {
  /** Every page of the transaction history, the statuses of all subscriptions, every page of the refund history, and the app transaction, in any order. The pages of a list are in their order. */
  answers: Array<JSONObject>;
  /** Every page of the transaction history of version 1, which shows the consumables that are not finished. */
  historyV1?: Array<JSONObject>;
  /** Order lookups. No other answer contains an order id. */
  orders?: Array<OrderAnswer>;
}

/** A customer, and what an operation caused. */
export interface CustomerChange {
  /** The customer after the operation. */
  customer: CustomerInfo;
  /** The events, in chronological order. */
  events: Array<EventName>;
  /** The notifications about the events, in chronological order: the type, with its subtype after a slash. */
  notifications: Array<string>;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/** An imported customer. */
export interface CustomerImportInfo {
  /** The name of the customer. */
  customer: string;
  /** The `appTransactionId` that answers about the customer contain. */
  appTransactionId: string;
  /** The name of the customer's clock. */
  clock: string;
  /** The time of the answers, at which the clock is frozen. */
  now: number;
  /** The number of imported transactions. */
  transactions: number;
  /** The number of imported subscriptions. */
  subscriptions: number;
  /** The products that the catalog lacked and that were created. */
  productsCreated: Array<string>;
  /** What could not be imported. The customer's account does not contain it. */
  quarantined: Array<ImportFinding>;
  /** What the answers do not show, and what was assumed. */
  assumptions: Array<ImportFinding>;
  /** Where the renewal information of the new customer differs from that of the source. */
  differences: Array<ImportFinding>;
}

/** A customer of an app in an environment. */
export interface CustomerInfo {
  /** The customer's name in Till. */
  customer: string;
  /** The customer's app transaction id. */
  appTransactionId: string;
  /** The customer's storefront. */
  storefront: string;
  /** Whether the customer downloaded the app. */
  hasAppTransaction: boolean;
  /** The state of the customer's card. */
  card: Card;
  /** Whether a parent must approve the customer's purchases (Ask to Buy). */
  asksToBuy: boolean;
  /** The number of pending purchases. */
  heldPurchases: number;
  /** The number of undecided refund requests. */
  refundRequests: number;
  /** The number of transactions. */
  transactions: number;
  /** The non-consumables that the customer owns. */
  owned: Array<string>;
  /** The customer's subscriptions: one for each purchaser and subscription group. */
  subscriptions: Array<SubscriptionInfo>;
  /** The name of the customer's family. */
  family?: string;
  /** The name of the customer clock; absent for the environment's clock. */
  clock?: string;
  /** Whether the operation created the customer; absent if it did not. */
  created?: boolean;
}

/** A page of customers. */
export interface CustomerList {
  /** The customers on the page. */
  customers: Array<CustomerInfo>;
  /** Customers on the page whose stored accounts cannot be read, each with the reason; absent if there are none. */
  damaged?: Array<string>;
  /** The value of `after` for the next page; absent on the last page. */
  next?: string;
}

/** A delivery attempt. */
export interface DeliveryAttemptInfo {
  /** When it was made, on the environment's clock. */
  attemptDate: number;
  /** The result of the attempt. */
  sendAttemptResult: SendAttemptResult;
  /** The HTTP status of the answer. */
  status?: number;
  /** The duration in milliseconds of real time. */
  milliseconds: number;
  /** Why Till refused to send to the endpoint. */
  reason?: string;
}

/** The delivery of a notification to one endpoint. */
export interface DeliveryInfo {
  /** The name of the endpoint. */
  endpoint: string;
  /** Whether the notification was delivered. */
  isDelivered: boolean;
  /** When the next attempt is due; absent if none is planned. */
  nextAttemptDate?: number;
  /** The delivery attempts, oldest first. */
  attempts: Array<DeliveryAttemptInfo>;
}

/** The next notification for the client to forward; an empty object if none was due in time. */
export interface DeliveryOfferInfo {
  /** The token with which the client reports the result of the attempt. */
  deliveryToken?: string;
  /** The id of the notification. */
  notificationUUID?: string;
  /** The type of the notification. */
  notificationType?: string;
  /** The subtype of the notification. */
  subtype?: string;
  /** The body that the client posts to the local server: JSON, byte for byte. */
  body?: string;
}

/** The data that StoreKit gives to the app on the customer's device. */
export interface DeviceData {
  /** The device id of the request, or a new device id. */
  deviceId: string;
  /** The signed transaction, with deviceVerification and its nonce. */
  signedTransactionInfo: string;
  /** The signed app transaction; absent if the customer has none. */
  signedAppTransactionInfo?: string;
  /** The app receipt in Base64; only with `include=receipt`. */
  appReceipt?: string;
}

/**
 * How an object differs between two states.
 * - `added`: Only the later state has the object.
 * - `changed`: Both states have the object, with different values.
 * - `removed`: Only the earlier state has the object.
 * Later versions may add values.
 */
export type DifferenceKind = "added" | "changed" | "removed" | (string & {});

/** An endpoint: the URL of a developer's server that receives notifications. */
export interface EndpointInfo {
  /** The name: primary, whose deliveries Get Notification History reports, or another name. */
  name: string;
  /** The URL to which notifications are sent. */
  url: string;
  /** The notification types that the endpoint receives; empty for all types. */
  types: Array<string>;
  /** The version of the notifications: 1 or 2. */
  version: NotificationVersion;
  /** True for a paused endpoint, whose deliveries wait; otherwise absent. */
  paused?: boolean;
}

/** The numbers of erased objects; with dryRun, of objects that would be erased. */
export interface ErasureInfo {
  /** The customer's name, which can be used again. */
  customer: string;
  /** True if the operation only counted. */
  dryRun: boolean;
  /** The number of transactions. */
  transactions: number;
  /** The number of notifications about the customer. */
  notificationsErased: number;
  /** The number of deliveries of these notifications, completed or pending. */
  deliveries: number;
  /** The number of entries in the request log. */
  requestLogEntries: number;
  /** The number of fault rules for the customer. */
  faults: number;
  /** The customer's family. */
  family?: string;
  /** The notifications sent because the family loses the shared purchases: the type, with its subtype after a slash. */
  notifications: Array<string>;
  /** Snapshots that still contain the customer. */
  snapshots: Array<string>;
  /** Snapshots that were deleted; with dryRun, that would be deleted. */
  removedSnapshots: Array<string>;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/** An error: what is wrong, and what to do. */
export interface ErrorInfo {
  /** The machine-readable code. */
  code: string;
  /** The message for users. */
  message: string;
  /** The errors in the body and in the query parameters; absent if they are correct. */
  faults?: Array<FaultInfo>;
}

/**
 * An event in a customer's account, which an operation or the passing of time caused.
 * - `charged`: A one-time product was bought by the customer, or shared with a family member.
 * - `alreadyOwned`: The customer bought a non-consumable that they already own. Nothing was charged.
 * - `subscribed`: The customer subscribed to the group for the first time.
 * - `resubscribed`: The customer subscribed to the group again after the subscription had expired.
 * - `renewed`: The store charged the customer for the next period.
 * - `recovered`: A payment succeeded after an earlier payment for this renewal had failed.
 * - `upgraded`: The customer changed to another plan, which began at once.
 * - `planChangeChosen`: The customer chose a change of plan that takes effect at the next renewal.
 * - `planChangeWithdrawn`: The customer withdrew a scheduled change of plan.
 * - `offerRedeemed`: The customer accepted an offer that applies to the next period of an active subscription.
 * - `autoRenewEnabled`: Auto-renew was turned on.
 * - `autoRenewDisabled`: Auto-renew was turned off.
 * - `failedToRenew`: The payment for a renewal failed, and access ended.
 * - `gracePeriodEntered`: The payment for a renewal failed, and the customer keeps access during the grace period.
 * - `gracePeriodExpired`: The grace period ended without a payment.
 * - `expired`: The subscription expired.
 * - `priceIncreasePending`: The customer was notified of a price increase that needs consent.
 * - `priceIncreaseAccepted`: The customer agreed to a price increase, or was notified of one that needs no consent.
 * - `extended`: The current period was extended.
 * - `extensionFailed`: A mass extension failed for this subscription.
 * - `finished`: The app finished the transaction.
 * - `appAccountTokenSet`: The app account token of the transaction was set or changed.
 * - `refundRequested`: The customer requested a refund.
 * - `consumptionReported`: The developer sent consumption data before the time limit.
 * - `refunded`: The transaction was refunded.
 * - `refundDeclined`: The refund request was declined.
 * - `refundReversed`: The refund was reversed.
 * - `familyAccessRevoked`: A family member lost access.
 * - `familyAccessRestored`: A family member regained access, because a refund was reversed.
 * - `familyCopyLinked`: An imported copy of a purchase now follows the purchase of a family member.
 * - `joinedFamily`: The customer joined the family.
 * - `leftFamily`: The customer left the family.
 * - `appDownloaded`: The customer downloaded the app.
 * - `purchaseHeld`: A purchase is on hold until a parent approves it or the customer completes it.
 * - `purchaseDeclined`: A purchase on hold was declined.
 * - `cardChanged`: Charges to the customer's card now succeed or fail in another way than before.
 * Later versions may add values.
 */
export type EventName = "charged" | "alreadyOwned" | "subscribed" | "resubscribed" | "renewed" | "recovered" | "upgraded" | "planChangeChosen" | "planChangeWithdrawn" | "offerRedeemed" | "autoRenewEnabled" | "autoRenewDisabled" | "failedToRenew" | "gracePeriodEntered" | "gracePeriodExpired" | "expired" | "priceIncreasePending" | "priceIncreaseAccepted" | "extended" | "extensionFailed" | "finished" | "appAccountTokenSet" | "refundRequested" | "consumptionReported" | "refunded" | "refundDeclined" | "refundReversed" | "familyAccessRevoked" | "familyAccessRestored" | "familyCopyLinked" | "joinedFamily" | "leftFamily" | "appDownloaded" | "purchaseHeld" | "purchaseDeclined" | "cardChanged" | (string & {});

/**
 * `expirationIntent` in the payload: the reason why a subscription expired.
 * - `1`: The customer turned auto-renew off.
 * - `2`: The payment failed.
 * - `3`: The customer did not consent to a price increase.
 * - `4`: The product was not for sale at the renewal.
 * - `5`: Another reason.
 * Later versions may add values.
 */
export type ExpirationIntent = 1 | 2 | 3 | 4 | 5 | (number & {});

/** Extends the current period of all subscribers of a product. */
export interface ExtendAll {
  /** The product identifier. */
  productId: string;
  /** The number of calendar days. */
  days: number;
  /** The reason, 0 (undeclared, the default) to 3. */
  reasonCode?: number;
  /** The request identifier, a UUID; by default a new one. */
  requestIdentifier?: string;
  /** The storefronts, as Alpha-3 codes; by default all storefronts. */
  storefronts?: Array<string>;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** Extends the current period of a subscription free of charge. */
export interface ExtendSubscription {
  /** The number of calendar days. */
  days: number;
  /** The reason: 0 undeclared (default), 1 customer satisfaction, 2 other, 3 outage. */
  reasonCode?: number;
  /** The request identifier; by default a new one. Repeating it has no further effect. */
  requestIdentifier?: string;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** A family, and what an operation caused. */
export interface FamilyChange {
  /** The family after the operation. */
  family: FamilyInfo;
  /** The events, in chronological order. */
  events: Array<EventName>;
  /** The notifications about the events, in chronological order: the type, with its subtype after a slash. */
  notifications: Array<string>;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/** A family. */
export interface FamilyInfo {
  /** The family's name. */
  name: string;
  /** The customer who organizes the family. */
  organizer: string;
  /** All members, the organizer first. */
  members: Array<string>;
}

/** An error at one place of a request. */
export interface FaultInfo {
  /** The JSON path of the value, which begins with `$`, or the name of a query parameter. */
  path: string;
  /** The expected value, or what is wrong. */
  expected: string;
  /** The value in the request. */
  found: string;
}

/**
 * The effect of a fault.
 * - `error`: Answers with the documented Apple error that has this `code`. `retryAfter` adds a `Retry-After` header.
 * - `unauthorized`: Answers with the HTTP status 401, without an explanation.
 * - `status`: Answers with the HTTP status in `code`, which is 500 or above, and without an error object.
 * - `receiptStatus`: Answers a verifyReceipt request with the status in `code`.
 * - `latency`: Delays the answer by `milliseconds`, plus a random time of up to `spread` milliseconds.
 * - `cut`: Closes the connection before the answer.
 * - `half`: Closes the connection in the middle of the answer.
 * - `staleReads`: Hides purchases that were made in the last `milliseconds` of real time.
 * - `rateLimit`: Answers with the HTTP status 429 after `perHour` calls in an hour; without `perHour`, Apple's limits apply.
 * - `drop`: Does not send a notification, but records it as delivered.
 * - `delay`: Sends a notification `milliseconds` of real time late.
 * - `duplicate`: Posts a notification twice.
 * - `reorder`: Holds a notification back until the next notification of the same subscription was sent, or for at most `milliseconds`.
 */
export type FaultKind = "error" | "unauthorized" | "status" | "receiptStatus" | "latency" | "cut" | "half" | "staleReads" | "rateLimit" | "drop" | "delay" | "duplicate" | "reorder";

/** A fault rule. */
export interface FaultRuleInfo {
  /** The id of the rule. */
  id: string;
  /** The kind of fault. */
  kind: FaultKind;
  /** The environment to which the rule is limited. */
  environment?: StoreEnvironment;
  /** The app to which the rule is limited. */
  bundleId?: string;
  /** The route to which the rule is limited, such as `getTransactionInfo`; for notifications, the type. */
  route?: string;
  /** The name of the endpoint to which the rule is limited; only for faults of notifications. */
  endpoint?: string;
  /** The customer to whom the rule is limited. */
  customer?: string;
  /** The percentage of matching calls that are affected; absent for all. */
  percent?: number;
  /** The maximum number of affected calls; absent if unlimited. */
  limit?: number;
  /** When the rule ends, in milliseconds of real time since 1970. */
  until?: number;
  /** The error code, HTTP status, or status of verifyReceipt that is returned. */
  code?: number;
  /** The value of the Retry-After header of an error, in seconds. */
  retryAfter?: number;
  /** The length of the delay in milliseconds. */
  milliseconds?: number;
  /** The maximum of an additional random delay, in milliseconds. */
  spread?: number;
  /** The calls per hour that `rateLimit` allows; absent for Apple's limit. */
  perHour?: number;
  /** The seed of the random numbers. */
  seed: number;
  /** The number of matching calls or notifications since the server started. */
  seen: number;
  /** The number of affected calls or notifications since the server started. */
  struck: number;
}

/** A field of an object in two states. The names are those of the object in other answers: `CustomerInfo`, `SubscriptionInfo` and `LedgerEntryInfo`. */
export interface FieldDifference {
  /** The name of the field. */
  name: string;
  /** The earlier value, as JSON text without the quotes of a string; absent if the field had no value. */
  before?: string;
  /** The later value, as JSON text without the quotes of a string; absent if the field has no value. */
  after?: string;
}

/**
 * The failed renewals that start a grace period (`renewalType` in the App Store Connect API).
 * - `ALL_RENEWALS`: All renewals, including the first payment after a free trial or an offer.
 * - `PAID_TO_PAID_ONLY`: Renewals after a paid period.
 */
export type GracePeriodCoverage = "ALL_RENEWALS" | "PAID_TO_PAID_ONLY";

/** The grace period of an app's subscriptions. */
export interface GracePeriodInfo {
  /** The length in days: 3, 16 or 28. In a request, 0 means no grace period. */
  days: number;
  /** The renewals that have a grace period; by default all. */
  coverage?: GracePeriodCoverage;
}

/** A subscription group. A customer can subscribe to one product of a group at a time. */
export interface GroupInfo {
  /** The subscription group identifier. */
  groupId: string;
  /** The name; the identifier by default. */
  name?: string;
  /** The names in several languages. */
  localizations?: Array<LocalizationInfo>;
}

/** The answer of `/healthz` and `/readyz`. */
export interface HealthInfo {
  /** `ok` or `ready`, or why Till cannot commit purchases. */
  status: string;
}

/** A pending purchase. */
export interface HeldPurchaseInfo {
  /** The number of the pending purchase; each customer's purchases are numbered from 1. */
  number: number;
  /** The product identifier. */
  productId: string;
  /** The quantity. */
  quantity: number;
  /** Why it is pending: a parent must approve it, or the customer must complete it. */
  reason: HeldPurchaseReason;
  /** When the purchase became pending, in milliseconds since 1970. */
  heldDate: number;
}

/**
 * The reason why a purchase is on hold.
 * - `askToBuy`: A parent must approve the purchase.
 * - `interrupted`: The customer must complete an interrupted purchase.
 * Later versions may add values.
 */
export type HeldPurchaseReason = "askToBuy" | "interrupted" | (string & {});

/** An entry of the report about an import. */
export interface ImportFinding {
  /** What the entry is about, such as a transaction with its id. */
  subject: string;
  /** The reason, the assumption or the difference. */
  reason: string;
}

/**
 * The way in which the customer got access: by a purchase or through the family.
 * Later versions may add values.
 */
export type InAppOwnershipType = "PURCHASED" | "FAMILY_SHARED" | (string & {});

/** A JSON object in a format that the control API does not define. */
export type JSONObject = Record<string, unknown>;

/** A job: a bulk operation on the accounts of a product's customers. */
export interface JobInfo {
  /** The job id. */
  jobId: string;
  /** The operation. */
  kind: JobKind;
  /** The product whose customers are affected. */
  productId: string;
  /** The state of the job. */
  state: JobState;
  /** When the operation applies on each customer's clock, in milliseconds since 1970. */
  effectiveDate: number;
  /** The number of accounts for which the operation succeeded. */
  succeeded: number;
  /** The number of accounts for which the operation failed. */
  failed: number;
  /** When the job was completed, in milliseconds since 1970. */
  completedDate?: number;
  /** Only for `extend`: the request identifier. */
  requestIdentifier?: string;
  /** Only for `extend`: the number of calendar days. */
  days?: number;
  /** Only for `extend`: the reason, 0 (undeclared) to 3. */
  reasonCode?: number;
  /** Only for `extend`: the storefronts, as Alpha-3 codes; absent for all storefronts. */
  storefronts?: Array<string>;
  /** Customer clocks before `effectiveDate`. The job applies to their customers at that date. */
  pendingClocks?: Array<string>;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/**
 * The operation that a job applies to each account.
 * - `raisePrice`: Raises the price of a subscription.
 * - `extend`: Extends the current period of all subscribers of a product.
 * - `shareProduct`: Turns on Family Sharing for a product.
 * Later versions may add values.
 */
export type JobKind = "raisePrice" | "extend" | "shareProduct" | (string & {});

/**
 * The progress of a job.
 * - `waiting`: The time of the job has not come.
 * - `running`: The job processes customers.
 * - `done`: All customers are processed.
 * Later versions may add values.
 */
export type JobState = "waiting" | "running" | "done" | (string & {});

/** Adds another customer to this customer's family. */
export interface JoinFamily {
  /** Whether imported copies become copies of the family's purchases. An import does not know the purchaser of a copy. When the purchaser is imported, too, this links the copy: from then on, it follows the purchase. */
  linkCopies?: boolean;
}

/** A key of the App Store Server API, or a key that signs the offers of an app. */
export interface KeyInfo {
  /** The key id: the `kid` in the header of a token. */
  keyId: string;
  /** The issuer id of the key's team. */
  issuerId: string;
  /** The purpose of the key. */
  name: string;
  /** The app whose offers the key signs; absent for a key of the API. */
  offersOf?: string;
  /** The app with which a key of the API is deleted; absent if the key stays. */
  bundleId?: string;
  /** The revocation date, in milliseconds since 1970; absent if the key is not revoked. */
  revokedDate?: number;
  /** The private key in PEM, the content of a .p8 file; only in the answer that created the key. */
  privateKey?: string;
}

/** A transaction as the ledger has it, unsigned. */
export interface LedgerEntryInfo {
  /** The transaction id. */
  transactionId: string;
  /** The original transaction id. */
  originalTransactionId: string;
  /** The product identifier. */
  productId: string;
  /** The product's type, as in signed transactions. */
  type: ProductType;
  /** The subscription group; only for auto-renewables. */
  subscriptionGroupIdentifier?: string;
  /** The reason of the transaction: the customer's purchase, or a renewal. */
  transactionReason: TransactionReason;
  /** The ownership: bought by the customer, or shared by a family member. */
  inAppOwnershipType: InAppOwnershipType;
  /** The purchase date, in milliseconds since 1970. */
  purchaseDate: number;
  /** The end of the period, in milliseconds since 1970; only for auto-renewables. */
  expiresDate?: number;
  /** The quantity. */
  quantity: number;
  /** The total price in milliunits; absent for a family member's copy. */
  price?: number;
  /** The currency of the price, as an ISO 4217 code. */
  currency?: string;
  /** The storefront of the purchase. */
  storefront: string;
  /** The order id on the customer's invoice. */
  orderId?: string;
  /** The offer type: 1 introductory, 2 promotional, 3 code, 4 win-back. */
  offerType?: OfferType;
  /** The offer's identifier; absent for introductory offers. */
  offerIdentifier?: string;
  /** The payment mode of the offer. */
  offerDiscountType?: OfferDiscountType;
  /** The date of the refund, or of the end of sharing; absent while not revoked. */
  revocationDate?: number;
  /** The type of the revocation. */
  revocationType?: RevocationType;
  /** The refunded percentage of the price, in milliunits. */
  revocationPercentage?: number;
  /** Whether an upgrade replaced the transaction. */
  isUpgraded: boolean;
  /** Whether the app has finished the transaction. */
  isFinished: boolean;
  /** The actions that are possible now on the transaction. */
  availableActions: Array<CustomerAction>;
}

/** A page of a customer's transactions. */
export interface LedgerEntryList {
  /** The transactions on the page. */
  transactions: Array<LedgerEntryInfo>;
  /** The value of `after` for the next page; absent on the last page. */
  next?: string;
}

/** A name and a description in one language. */
export interface LocalizationInfo {
  /** The locale. */
  locale: string;
  /** The name; empty by default. */
  displayName?: string;
  /** The description; empty by default. */
  description?: string;
}

/**
 * The rule for a purchase in a storefront for which the catalog has no price.
 * - `storefrontCurrency`: Uses the number of the standard price in the storefront's currency, as Xcode does.
 * - `refuse`: Refuses the purchase.
 */
export type MissingPrice = "storefrontCurrency" | "refuse";

/** The number of notifications of a type and subtype. */
export interface NotificationCountInfo {
  /** The type. */
  type: NotificationType;
  /** The subtype; absent for a type without one. */
  subtype?: NotificationSubtype;
  /** The number of notifications. */
  count: number;
}

/** A notification. The payloads are only in the answer about a single notification. */
export interface NotificationInfo {
  /** The id of the notification. */
  notificationUUID: string;
  /** The type. */
  notificationType: string;
  /** The version of the notification: 1 or 2. */
  version: number;
  /** The subtype. */
  subtype?: string;
  /** When the notification was created, in milliseconds since 1970. */
  signedDate: number;
  /** The customer whom the notification is about. */
  customer?: string;
  /** The original transaction id. */
  originalTransactionId?: string;
  /** The transaction id. */
  transactionId?: string;
  /** Whether it was sent by hand, without an event. */
  isTriggered: boolean;
  /** The delivery to each endpoint. */
  deliveries: Array<DeliveryInfo>;
  /** The signed payload exactly as sent; absent for version 1. */
  signedPayload?: string;
  /** The decoded payload. */
  payload?: JSONObject;
  /** The decoded payload of its signedTransactionInfo. */
  transactionInfo?: JSONObject;
  /** The decoded payload of its signedRenewalInfo. */
  renewalInfo?: JSONObject;
  /** The token for Apple's Get Test Notification Status; only in the answer that sent a TEST notification. */
  testNotificationToken?: string;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/** A page of notifications. */
export interface NotificationList {
  /** The notifications on the page, newest first. */
  notifications: Array<NotificationInfo>;
  /** The value of `after` for the next page; absent on the last page. */
  next?: string;
}

/** `subtype` (docs/api/notifications.md). */
export type NotificationSubtype = "INITIAL_BUY" | "RESUBSCRIBE" | "BILLING_RECOVERY" | "UPGRADE" | "DOWNGRADE" | "AUTO_RENEW_ENABLED" | "AUTO_RENEW_DISABLED" | "GRACE_PERIOD" | "VOLUNTARY" | "BILLING_RETRY" | "PRICE_INCREASE" | "PRODUCT_NOT_FOR_SALE" | "PENDING" | "ACCEPTED" | "SUMMARY" | "FAILURE" | "UNREPORTED" | "CREATED" | "ACTIVE_TOKEN_REMINDER";

/** `notificationType` (docs/api/notifications.md). */
export type NotificationType = "SUBSCRIBED" | "DID_RENEW" | "OFFER_REDEEMED" | "ONE_TIME_CHARGE" | "DID_CHANGE_RENEWAL_PREF" | "DID_CHANGE_RENEWAL_STATUS" | "DID_FAIL_TO_RENEW" | "GRACE_PERIOD_EXPIRED" | "EXPIRED" | "PRICE_INCREASE" | "CONSUMPTION_REQUEST" | "REFUND" | "REFUND_DECLINED" | "REFUND_REVERSED" | "REVOKE" | "RENEWAL_EXTENDED" | "RENEWAL_EXTENSION" | "TEST" | "EXTERNAL_PURCHASE_TOKEN" | "RESCIND_CONSENT" | "METADATA_UPDATE" | "MIGRATION" | "PRICE_CHANGE";

/**
 * The version of App Store Server Notifications.
 * - `1`: Version 1: JSON with a unified receipt, authenticated by the shared secret (docs/api/notifications-v1.md).
 * - `2`: Version 2: a signed payload (docs/api/notifications.md).
 */
export type NotificationVersion = 1 | 2;

/**
 * The ways in which the OCSP responder can fail to answer.
 * - `tryLater`: The OCSP error `tryLater`: the responder is busy.
 * - `internalError`: The OCSP error `internalError`: the responder has a problem.
 * - `unauthorized`: The OCSP error `unauthorized`: the responder does not know the certificate's issuer.
 * - `http500`: HTTP 500 instead of an OCSP response.
 */
export type OCSPFailure = "tryLater" | "internalError" | "unauthorized" | "http500";

/** The reason why a certificate was revoked (RFC 5280, section 5.3.1). */
export type OCSPRevocationReason = "unspecified" | "keyCompromise" | "caCompromise" | "affiliationChanged" | "superseded" | "cessationOfOperation" | "certificateHold" | "removeFromCRL" | "privilegeWithdrawn" | "aaCompromise";

/**
 * What the OCSP responder reports for a certificate, or the way in which it fails to answer.
 * - `good`: Not revoked.
 * - `unknown`: Unknown, as if the certificate had never been issued.
 * - `slow`: Good, but the response is delayed.
 * - `error`: An error instead of a status.
 * - `stale`: Good, but the response was valid only from two days ago until one day ago.
 * - `dead`: No response: the connection is closed.
 */
export type OCSPStatus = "good" | "revoked" | "unknown" | "slow" | "error" | "stale" | "dead";

/**
 * The customers who may redeem an offer code, by their history in the subscription group.
 * - `NEW`: Customers who never subscribed.
 * - `EXISTING`: Current subscribers.
 * - `EXPIRED`: Former subscribers.
 */
export type OfferAudience = "NEW" | "EXISTING" | "EXPIRED";

/**
 * The payment mode of an offer (`offerDiscountType`).
 * - `ONE_TIME`: A one-time price; only for one-time products, with an offer code.
 */
export type OfferDiscountType = "FREE_TRIAL" | "PAY_AS_YOU_GO" | "PAY_UP_FRONT" | "ONE_TIME";

/** An offer of a product in the catalog. */
export interface OfferInfo {
  /** The kind of offer. */
  kind: OfferKind;
  /** The offer identifier; required, except for introductory offers. The default of an offer code is referenceName. */
  id?: string;
  /** The name that the developer sees. */
  referenceName?: string;
  /** The payment mode: `ONE_TIME` for a one-time product, another for a subscription. */
  mode: OfferDiscountType;
  /** The length of one period of the offer; absent for `ONE_TIME`. */
  period?: string;
  /** The number of periods; 1 by default, and more only for `PAY_AS_YOU_GO`. */
  periodCount?: number;
  /** The price of one payment, a decimal amount; absent for `FREE_TRIAL`. */
  price?: string;
  /** The currency of the price, as an ISO 4217 code; by default that of the catalog's storefront. */
  currency?: string;
  /** Prices of single storefronts, by Alpha-3 code. */
  prices?: PriceInfoMap;
  /** The customers who may redeem an offer code; all by default. */
  audience?: Array<OfferAudience>;
  /** The maximum number of redemptions of an offer code; unlimited by default. */
  redemptionLimit?: number;
  /** Whether an offer code applies after the introductory offer instead of replacing it; false by default. */
  stackable?: boolean;
  /** The conditions of a win-back offer. */
  winBack?: WinBackInfo;
  /** The billing plan to which the offer belongs; billed upfront by default. */
  billingPlan?: BillingPlanType;
}

/**
 * The kind of an offer in a catalog.
 * - `INTRODUCTORY`: The introductory offer for new subscribers.
 * - `PROMOTIONAL`: An offer that the app's server signs for a customer.
 * - `CODE`: An offer code.
 * - `WIN_BACK`: An offer for former subscribers.
 */
export type OfferKind = "INTRODUCTORY" | "PROMOTIONAL" | "CODE" | "WIN_BACK";

/**
 * The kind of an offer for a purchase.
 * - `NONE`: No offer, not even the introductory one.
 * - `INTRODUCTORY`: The introductory offer of the product.
 * - `PROMOTIONAL`: A promotional offer, which the app's server signs.
 * - `CODE`: An offer code.
 * - `WIN_BACK`: A win-back offer.
 */
export type OfferKindToApply = "NONE" | "INTRODUCTORY" | "PROMOTIONAL" | "CODE" | "WIN_BACK";

/** An offer for a purchase. */
export interface OfferToApply {
  /** The kind of offer. */
  kind: OfferKindToApply;
  /** The offer identifier; not for `INTRODUCTORY`. */
  id?: string;
  /** The JWS with which the app's server signs the offer. */
  token?: string;
  /** The older signature of a promotional offer: the key id. */
  keyId?: string;
  /** The older signature: the nonce, a UUID. */
  nonce?: string;
  /** The older signature: its time, in milliseconds since 1970. */
  timestamp?: number;
  /** The older signature: the application username, if it was signed. */
  applicationUsername?: string;
  /** The older signature: the DER signature in Base64. */
  signature?: string;
}

/**
 * The four kinds of offer. The raw value is `offerType` in the payload.
 * - `1`: An introductory offer.
 * - `2`: A promotional offer.
 * - `3`: An offer code.
 * - `4`: A win-back offer.
 * Later versions may add values.
 */
export type OfferType = 1 | 2 | 3 | 4 | (number & {});

/** The answer to an order lookup. */
export interface OrderAnswer {
  /** The order id that was looked up. */
  orderId: string;
  /** The answer as the server sent it. */
  answer: JSONObject;
}

/** A delivery that has not succeeded yet, or failed. */
export interface PendingDeliveryInfo {
  /** The id of the notification. */
  notificationUUID: string;
  /** The type of the notification, with its subtype after a slash. */
  notification: string;
  /** The name of the endpoint. */
  endpoint: string;
  /** The result of the last attempt; absent if no attempt has ended. */
  sendAttemptResult?: SendAttemptResult;
  /** When the next attempt is due on the customer's clock; absent if there are no more attempts. */
  nextAttemptDate?: number;
  /** True if the endpoint is paused; otherwise absent. */
  paused?: boolean;
}

/** The ports of the server. */
export interface PortsInfo {
  /** The port of the production environment. */
  production: number;
  /** The port of the sandbox environment. */
  sandbox: number;
  /** The port of the control API. */
  control: number;
  /** The TLS port; absent while TLS is off. */
  tls?: number;
  /** The port of the proxy; absent without a proxy. */
  proxy?: number;
}

/**
 * Whether subscribers must agree to a price increase.
 * - `automatic`: The App Store's conditions apply: amount, frequency and the law of the storefront.
 */
export type PriceConsent = "automatic" | "required" | "notNeeded";

/** A pending price increase. */
export interface PriceIncreaseInfo {
  /** The price of a full period in milliunits. */
  price: number;
  /** The currency of the price, as an ISO 4217 code. */
  currency: string;
  /** Whether the price increase needs consent. Without consent the subscription ends. */
  needsConsent: boolean;
  /** The stage of the price increase. */
  stage: PriceIncreaseState;
  /** The date from which renewals have this price, in milliseconds since 1970. */
  effectiveDate?: number;
}

/**
 * The progress of a price increase.
 * - `scheduled`: The customer has not been notified.
 * - `pending`: The customer must agree, and has not answered yet.
 * - `accepted`: The customer agreed, or was notified of an increase that needs no consent.
 * Later versions may add values.
 */
export type PriceIncreaseState = "scheduled" | "pending" | "accepted" | (string & {});

/** A price in one storefront. */
export interface PriceInfo {
  /** A decimal amount. */
  price: string;
  /** The currency, as an ISO 4217 code; the storefront's by default. */
  currency?: string;
}

/** Values by name. */
export type PriceInfoMap = Record<string, PriceInfo>;

/** A standard price, and the prices of single storefronts. */
export interface PriceListInfo {
  /** A decimal amount. */
  price: string;
  /** The currency of the price, as an ISO 4217 code; by default that of the catalog's storefront. */
  currency?: string;
  /** Prices of single storefronts, by Alpha-3 code. */
  prices?: PriceInfoMap;
}

/** A product of the catalog. */
export interface ProductInfo {
  /** The product identifier. */
  productId: string;
  /** The type of the product. It cannot change. */
  type: ProductTypeName;
  /** The name that the developer sees; the product identifier by default. */
  referenceName?: string;
  /** The price of one unit, or of one period: a decimal amount. */
  price: string;
  /** The currency of the price, as an ISO 4217 code; by default that of the catalog's storefront. */
  currency?: string;
  /** Prices of single storefronts, by Alpha-3 code. */
  prices?: PriceInfoMap;
  /** Whether family members can share the product; false by default. */
  familyShareable?: boolean;
  /** Whether customers can buy the product, and subscriptions to it renew; true by default. */
  forSale?: boolean;
  /** The names in several languages. */
  localizations?: Array<LocalizationInfo>;
  /** Group, level and period; only for auto-renewable subscriptions, which require it. */
  subscription?: SubscriptionPlanInfo;
  /** The offers; for a one-time product only offer codes. */
  offers?: Array<OfferInfo>;
}

/**
 * `type` in the payload: the four types of product.
 * Later versions may add values.
 */
export type ProductType = "Auto-Renewable Subscription" | "Non-Renewing Subscription" | "Consumable" | "Non-Consumable" | (string & {});

/**
 * A type of product, as in the parameter `productType` of the transaction history. `ProductType` has the names in signed transactions.
 * - `AUTO_RENEWABLE`: An auto-renewable subscription.
 * - `NON_RENEWABLE`: A subscription that does not renew.
 * - `CONSUMABLE`: A product that customers can buy repeatedly.
 * - `NON_CONSUMABLE`: A product that a customer buys once and owns.
 */
export type ProductTypeName = "AUTO_RENEWABLE" | "NON_RENEWABLE" | "CONSUMABLE" | "NON_CONSUMABLE";

/** The numbers of deleted objects; with dryRun, of objects that would be deleted. */
export interface PruneInfo {
  /** True if the operation only counted. */
  dryRun: boolean;
  /** The number of notifications. */
  notifications: number;
  /** The number of deliveries of these notifications. */
  deliveries: number;
  /** The number of old notifications that are kept because deliveries are pending. */
  pending: number;
  /** The retention period of production in days; 0 means forever. */
  productionDays: number;
  /** The retention period of the sandbox in days; 0 means forever. */
  sandboxDays: number;
}

/** The result of a purchase. If `result` ends in `Scheduled`, or is `changeWithdrawn`, nothing was bought: the transaction is the current one. */
export interface PurchaseInfo {
  /** What happened; absent if nothing was bought or changed. */
  result?: PurchaseResult;
  /** The customer who made the purchase. */
  customer: string;
  /** The transaction; absent for a pending purchase. */
  transaction?: TransactionInfo;
  /** The number of the pending purchase; absent for a completed one. */
  held?: number;
  /** The events, in chronological order. */
  events: Array<EventName>;
  /** The notifications about the events, in chronological order: the type, with its subtype after a slash. */
  notifications: Array<string>;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/** The platform of the first download. */
export type PurchasePlatform = "iOS" | "macOS" | "tvOS" | "visionOS";

/**
 * The result of a purchase. A purchase by a current subscriber may create no transaction, so the transaction in the response does not always show the result.
 * - `purchased`: The customer bought a one-time product.
 * - `subscribed`: The customer subscribed to the group for the first time.
 * - `resubscribed`: The customer subscribed again after the subscription had expired or been revoked.
 * - `recovered`: A renewal whose payment had failed is now paid (billing recovery).
 * - `upgraded`: A product of a higher level replaced the current product at once.
 * - `crossgraded`: Another product of the same level replaced the current product at once.
 * - `downgradeScheduled`: A product of a lower level will begin at the next renewal.
 * - `crossgradeScheduled`: Another product of the same level will begin at the next renewal.
 * - `billingPlanScheduled`: The subscription will use the other billing plan from the next renewal.
 * - `offerScheduled`: An offer will apply from the next renewal.
 * - `changeWithdrawn`: The customer withdrew a scheduled change.
 * - `alreadyOwned`: The customer already owns this non-consumable.
 * - `held`: The purchase is on hold until a parent approves it or the customer completes it.
 * Later versions may add values.
 */
export type PurchaseResult = "purchased" | "subscribed" | "resubscribed" | "recovered" | "upgraded" | "crossgraded" | "downgradeScheduled" | "crossgradeScheduled" | "billingPlanScheduled" | "offerScheduled" | "changeWithdrawn" | "alreadyOwned" | "held" | (string & {});

/** Raises the price of a subscription. New customers pay it at once; subscribers are notified first. */
export interface RaisePrice {
  /** The price of a full period in milliunits. */
  price: number;
  /** The currency of the price, as an ISO 4217 code; by default the currency of the current price. */
  currency?: string;
  /** Only in this storefront, which must have a price of its own; by default in all storefronts without one. */
  storefront?: string;
  /** Whether subscribers must consent; `automatic` by default, which depends on the amount. */
  consent?: PriceConsent;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** A receipt. */
export interface ReceiptInfo {
  /** The value for receipt-data: Base64, one line. */
  receipt: string;
}

/**
 * The developer's preferred decision (`refundPreference`).
 * - `DECLINE`: The developer prefers no refund.
 * - `GRANT_FULL`: The developer prefers a full refund.
 * - `GRANT_PRORATED`: The developer prefers a refund of the unused part.
 * Later versions may add values.
 */
export type RefundPreference = "DECLINE" | "GRANT_FULL" | "GRANT_PRORATED" | (string & {});

/** An undecided refund request. */
export interface RefundRequestInfo {
  /** The customer who requested the refund. */
  customer: string;
  /** The transaction id. */
  transactionId: string;
  /** The customer's reason for the request. */
  reason: ConsumptionRequestReason;
  /** The date of the request, in milliseconds since 1970. */
  requestedDate: number;
  /** How the request is decided: the refund rule of the environment. */
  decidedBy: RefundRule;
  /** When the rule decides, in milliseconds since 1970; absent if the operator decides. */
  decisionDate?: number;
  /** The preference that the developer sent. */
  refundPreference?: RefundPreference;
  /** The consumed percentage that the developer sent, in milliunits. */
  consumptionPercentage?: number;
}

/** A page of refund requests. More pages may follow an empty page. */
export interface RefundRequestList {
  /** Undecided refund requests, oldest first. */
  refundRequests: Array<RefundRequestInfo>;
  /** Customers on the page whose stored accounts cannot be read, each with the reason; absent if there are none. */
  damaged?: Array<string>;
  /** The value of `after` for the next page; absent on the last page. */
  next?: string;
}

/**
 * The rule that decides on a refund request after the time limit for consumption data.
 * - `followPreference`: The developer's preference decides. The refund is granted if the developer sent no consumption data.
 * - `byHand`: The operator decides on each request.
 */
export type RefundRule = "followPreference" | "alwaysGrant" | "alwaysDecline" | "byHand";

/**
 * How much of the price is refunded.
 * - `FULL`: The whole price.
 * - `UNUSED`: The price of the unused part of a subscription's period.
 * - `PART`: A percentage of the price.
 */
export type RefundShare = "FULL" | "UNUSED" | "PART";

/** Refunds a transaction in full or in part, or the unused part of a subscription's period. */
export interface RefundTransaction {
  /** How much to refund; `FULL` by default, or `PART` with a percentage. */
  share?: RefundShare;
  /** The refunded percentage in milliunits; only for `PART`. */
  percentage?: number;
  /** The revocation reason: 1 for an issue in the app, 0 for any other reason. */
  reason?: RevocationReason;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/**
 * The subscription renewal rate, which determines how long a month lasts: a calendar month in Pacific time, or an accelerated month of the sandbox, TestFlight or Xcode (docs/api/lifecycle.md, Rates).
 * - `calendar`: Calendar months in Pacific time.
 * - `sandbox-5-minutes`: The default rate of Apple's sandbox, at which a month lasts five minutes.
 * Later versions may add values.
 */
export type RenewalRate = "calendar" | "sandbox-3-minutes" | "sandbox-5-minutes" | "sandbox-15-minutes" | "sandbox-30-minutes" | "sandbox-1-hour" | "testflight" | "xcode-1" | "xcode-2" | "xcode-3" | "xcode-4" | "xcode-5" | "xcode-6" | "xcode-10" | "xcode-11" | "xcode-12" | "xcode-13" | "xcode-15" | "xcode-1000" | "xcode-1001" | "xcode-1002" | "xcode-1003" | "xcode-1004" | "xcode-1005" | (string & {});

/**
 * A subscription renewal rate, or `default` for the rate in the server's settings.
 * - `default`: The rate in the server's settings.
 */
export type RenewalRateChoice = "default" | "calendar" | "sandbox-3-minutes" | "sandbox-5-minutes" | "sandbox-15-minutes" | "sandbox-30-minutes" | "sandbox-1-hour" | "testflight" | "xcode-1" | "xcode-2" | "xcode-3" | "xcode-4" | "xcode-5" | "xcode-6" | "xcode-10" | "xcode-11" | "xcode-12" | "xcode-13" | "xcode-15" | "xcode-1000" | "xcode-1001" | "xcode-1002" | "xcode-1003" | "xcode-1004" | "xcode-1005";

/** A logged request. */
export interface RequestInfo {
  /** The request id from the answer. */
  requestId: string;
  /** When the request arrived, in milliseconds of real time since 1970. */
  date: number;
  /** The environment: Production or Sandbox. */
  environment: string;
  /** The HTTP method. */
  method: string;
  /** The path of the URL. */
  path: string;
  /** The HTTP status. */
  status: number;
  /** The documented error code; absent for a 401. */
  errorCode?: number;
  /** The app that the token claims. */
  bundleId?: string;
  /** The key id that the token claims. */
  keyId?: string;
  /** What was wrong with the request, and how to fix it. */
  explanation: string;
  /** The duration in milliseconds. */
  milliseconds?: number;
  /** The request body, if the log keeps bodies (--request-log-bodies). */
  requestBody?: string;
  /** The response body, if the log keeps bodies. */
  responseBody?: string;
}

/** A page of the request log. */
export interface RequestList {
  /** The requests, newest first. */
  entries: Array<RequestInfo>;
  /** The value of `after` for the next page; absent on the last page. A page may be short or empty, because a request reads at most 1,000 entries. */
  next?: string;
}

/** Requests a refund. The environment's refund rule decides, or the operator decides. */
export interface RequestRefund {
  /** The customer's reason for the request; `UNINTENDED_PURCHASE` by default. */
  reason?: ConsumptionRequestReason;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** The result of resending. */
export interface ResendInfo {
  /** The number of deliveries now pending. */
  pending: number;
  /** The deliveries of the notifications that the operation caused; only with `settle`. */
  settled?: SettledInfo;
}

/** Resends a notification, or all notifications created between two times, with exactly the same bytes. */
export interface ResendNotifications {
  /** The id of the notification. Give either this, or `from` and `to`; anything else is refused: 400 `bad_range`. */
  notificationUUID?: string;
  /** Only created at or after this time, in milliseconds since 1970. */
  from?: number;
  /** Only created at or before this time, in milliseconds since 1970. */
  to?: number;
  /** The name of the endpoint; by default all endpoints. */
  endpoint?: string;
}

/**
 * `revocationReason` in the payload.
 * - `0`: Another reason.
 * - `1`: An actual or perceived issue in the app.
 */
export type RevocationReason = 0 | 1;

/**
 * `revocationType` in the payload.
 * - `REFUND_FULL`: A full refund.
 * - `REFUND_PRORATED`: A refund of a part of the price.
 * - `FAMILY_REVOKE`: The purchase is no longer shared with the family member.
 * Later versions may add values.
 */
export type RevocationType = "REFUND_FULL" | "REFUND_PRORATED" | "FAMILY_REVOKE" | (string & {});

/** What a search has found. */
export interface SearchMatch {
  /** What the value denotes. */
  kind: SearchMatchKind;
  /** Whether the value is the whole name or id, and not only the beginning of a name. */
  isExact: boolean;
  /** The app; absent for a request whose token names none. */
  bundleId?: string;
  /** The environment. */
  environment: StoreEnvironment;
  /** The customer; absent for requests, and for notifications about the app. */
  customer?: string;
  /** The transaction id of a transaction, or of the transaction that a notification is about. */
  transactionId?: string;
  /** The product of a transaction. */
  productId?: string;
  /** The UUID of a notification. */
  notificationUUID?: string;
  /** The type of a notification, with its subtype after a slash. */
  notificationType?: string;
  /** The id of a logged request. */
  requestId?: string;
  /** The purchase date of a transaction, the signed date of a notification or the date of a request, in milliseconds since 1970. */
  date?: number;
}

/**
 * What a search result is.
 * - `customer`: A customer, by the name, its beginning or the app transaction id.
 * - `originalTransaction`: The first transaction of a subscription, or a purchase that does not renew, by its id.
 * - `transaction`: A later transaction of a subscription, by its id.
 * - `order`: A transaction, by the id of its order.
 * - `appAccountToken`: A customer, by the app account token of a transaction.
 * - `notification`: A notification, by its UUID.
 * - `request`: A logged request to the App Store Server API, by its id.
 * Later versions may add values.
 */
export type SearchMatchKind = "customer" | "originalTransaction" | "transaction" | "order" | "appAccountToken" | "notification" | "request" | (string & {});

/** A page of search results. */
export interface SearchResults {
  /** The results on the page. */
  matches: Array<SearchMatch>;
  /** The value of `after` for the next page; absent on the last page. A page can have few results, or none, and a next page. */
  next?: string;
}

/**
 * The result of one attempt to send a notification, with the values that Apple's notification history uses.
 * - `SUCCESS`: The receiver responded with an HTTP status from 200 to 206.
 * - `TIMED_OUT`: No complete response arrived within the time limit.
 * - `TLS_ISSUE`: The TLS handshake failed, or the certificate was invalid.
 * - `CIRCULAR_REDIRECT`: Redirects formed a loop, or there were too many.
 * - `NO_RESPONSE`: The receiver accepted the connection and closed it without sending a byte.
 * - `SOCKET_ISSUE`: The connection failed, or the receiver reset it before a response.
 * - `UNSUPPORTED_CHARSET`: The response declares an unknown charset.
 * - `INVALID_RESPONSE`: The response is not HTTP.
 * - `PREMATURE_CLOSE`: The connection closed in the middle of the response.
 * - `UNSUCCESSFUL_HTTP_RESPONSE_CODE`: The response has an HTTP status outside 200 to 206.
 * - `OTHER`: Any other failure.
 */
export type SendAttemptResult = "SUCCESS" | "TIMED_OUT" | "TLS_ISSUE" | "CIRCULAR_REDIRECT" | "NO_RESPONSE" | "SOCKET_ISSUE" | "UNSUPPORTED_CHARSET" | "INVALID_RESPONSE" | "PREMATURE_CLOSE" | "UNSUCCESSFUL_HTTP_RESPONSE_CODE" | "OTHER";

/** Freezes a clock, runs it at a speed, or sets it to real time. A clock never goes back. */
export interface SetClock {
  /** The name of a customer clock; by default the environment's clock. */
  clock?: string;
  /** The mode; `real` is possible only if the clock is not ahead of real time. */
  mode: ClockMode;
  /** Only for `frozen`: the time that the clock shows, in milliseconds since 1970; by default its current time. */
  at?: number;
  /** Only for `running`: the speed as a multiple of real time; 1 by default. */
  speed?: number;
}

/** Sets the URL and the notification types of an endpoint. */
export interface SetEndpoint {
  /** An http or https URL. */
  url: string;
  /** The notification types to send, such as DID_RENEW or EXPIRED/VOLUNTARY; by default all types. */
  types?: Array<string>;
  /** The version of the notifications: 1 or 2; 2 by default. */
  version?: NotificationVersion;
}

/** Removes a product from sale, so that its subscriptions do not renew, or restores it. */
export interface SetForSale {
  /** True restores the product; false removes it from sale. Applies to both environments. */
  forSale: boolean;
}

/** Sets the OCSP status of the leaf, the intermediate, a serial number, or all certificates. */
export interface SetRevocation {
  /** The OCSP status. */
  state: OCSPStatus;
  /** Only for leaf and intermediate: the id of the chain; by default the chain that signs now. */
  chainId?: string;
  /** Only for revoked: the revocation date, in milliseconds since 1970; by default now. */
  revocationDate?: number;
  /** Only for revoked: the reason. */
  reason?: OCSPRevocationReason;
  /** Only for slow: the delay in milliseconds; by default 5000. */
  delay?: number;
  /** Only for error: the kind of error; by default tryLater. */
  error?: OCSPFailure;
}

/** Starts or stops sharing a purchase, which any of its transactions identifies, with the purchaser's family. */
export interface SetSharing {
  /** True shares the purchase; false stops sharing it. */
  shared: boolean;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** The settings of an environment. */
export interface SettingsInfo {
  /** The subscription renewal rate: how long a month takes. */
  rate: RenewalRate;
  /** The grace period; absent without one. */
  grace?: GracePeriodInfo;
  /** How refund requests are decided. */
  refundRule: RefundRule;
  /** If false, production answers 401, as before an app's first release. */
  released: boolean;
  /** The payload profile: fair, sparse, tomorrow:SEED or version:1.N. */
  payloadProfile: string;
  /** What happens to a purchase in a storefront without a catalog price. */
  missingPrice: MissingPrice;
}

/** The deliveries that an operation caused, at the end of the wait. On a frozen clock, the answer waits only for first attempts, because the clock does not reach the dates of the retries. */
export interface SettledInfo {
  /** The number of deliveries that succeeded. */
  delivered: number;
  /** The number of deliveries that have not succeeded yet, or failed. */
  pending: number;
  /** The first 20 of the pending deliveries, oldest notification first. */
  pendingDeliveries: Array<PendingDeliveryInfo>;
}

/** Sets or removes a shared secret. */
export interface SharedSecretChange {
  /** The secret, 1 to 128 printable characters; by default 32 random hexadecimal digits. */
  sharedSecret?: string;
  /** Whether to remove the secret instead of setting it; false by default. Not with `sharedSecret`. */
  remove?: boolean;
}

/** A shared secret. */
export interface SharedSecretInfo {
  /** The `password` that verifyReceipt requires; absent if no secret is set. */
  sharedSecret?: string;
  /** Where the secret comes from. */
  from: SharedSecretSource;
}

/**
 * Where the shared secret of an app comes from: the app, its team (the primary secret), or no secret is set.
 * - `app`: The app has a secret of its own.
 * - `team`: The team's primary secret applies.
 * - `none`: No secret is set.
 * Later versions may add values.
 */
export type SharedSecretSource = "app" | "team" | "none" | (string & {});

/** A page of the differences between two states of an app. */
export interface SnapshotComparison {
  /** The app. */
  bundleId: string;
  /** The name of the earlier snapshot. */
  from: string;
  /** The name of the later snapshot; absent for the current state. */
  to?: string;
  /** The differences: in each environment first by customer, then the notifications by date. */
  differences: Array<StateDifference>;
  /** The value of `after` for the next page; absent on the last page. A page reads a limited amount of data, so it can have few differences, or none, and a next page. */
  next?: string;
}

/** A snapshot. */
export interface SnapshotInfo {
  /** The name of the snapshot. */
  name: string;
  /** The app; absent for all apps. */
  bundleId?: string;
  /** When the snapshot was saved, in milliseconds of real time since 1970. */
  savedAt: number;
  /** The number of customers. */
  customers: number;
  /** The number of transactions. */
  transactions: number;
  /** The number of notifications. */
  notifications: number;
}

/** An object in which two states differ. */
export interface StateDifference {
  /** What differs. */
  object: ComparedObject;
  /** How it differs. */
  change: DifferenceKind;
  /** The environment. */
  environment: StoreEnvironment;
  /** The customer; absent for notifications about the app. */
  customer?: string;
  /** The transaction id of a transaction or of a notification, or the original transaction id of a renewal. */
  transactionId?: string;
  /** The product of a transaction or of a renewal. */
  productId?: string;
  /** The UUID of a notification. */
  notificationUUID?: string;
  /** The type of a notification, with its subtype after a slash. */
  notificationType?: string;
  /** The purchase date of a transaction or the signed date of a notification, in milliseconds since 1970. */
  date?: number;
  /** The fields that differ; only for a changed object. */
  fields?: Array<FieldDifference>;
}

/** The imported data. */
export interface StateImportInfo {
  /** The app; absent for all apps. */
  bundleId?: string;
  /** The number of customers. */
  customers: number;
  /** The number of transactions. */
  transactions: number;
  /** The number of notifications. */
  notifications: number;
}

/** The status of the server. */
export interface StatusInfo {
  /** Till's version. */
  version: string;
  /** The ports by listener. */
  ports: PortsInfo;
  /** The path of the data directory; absent if the server stores nothing on disk. */
  dataDirectory?: string;
  /** The path of the root certificate's file; absent if the server stores nothing on disk. */
  rootCertificate?: string;
  /** The SHA-256 fingerprint of the root certificate, hexadecimal. */
  rootFingerprint: string;
  /** How clients reach the server under the App Store's host names; absent while TLS is off. */
  tls?: TLSInfo;
}

/** One of the two environments of a server. Their data is separate: an id of one environment is unknown in the other (docs/api/transport.md). */
export type StoreEnvironment = "production" | "sandbox";

/** A subscription of a customer. */
export interface SubscriptionInfo {
  /** The subscription group identifier. */
  subscriptionGroupIdentifier: string;
  /** The original transaction id, which identifies the subscription. */
  originalTransactionId: string;
  /** The id of the latest transaction. */
  transactionId: string;
  /** The product of the current period. */
  productId: string;
  /** The ownership: bought by the customer, or shared by a family member. */
  inAppOwnershipType: InAppOwnershipType;
  /** The status: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked. */
  status: SubscriptionStatus;
  /** The status and the next events, in sentences. */
  summary: string;
  /** The end of the latest period, in milliseconds since 1970. */
  expiresDate: number;
  /** 1 if auto-renew is on, 0 if off. */
  autoRenewStatus: number;
  /** The product of the next period. */
  autoRenewProductId: string;
  /** The price of the next period in milliunits. */
  renewalPrice?: number;
  /** The currency of renewalPrice, as an ISO 4217 code. */
  currency?: string;
  /** The offer identifier of the next period. */
  offerIdentifier?: string;
  /** The billing plan of the next period; present if the product has several plans. */
  renewalBillingPlanType?: BillingPlanType;
  /** The reason why the subscription ended or will end: 1 to 5. */
  expirationIntent?: ExpirationIntent;
  /** The end of the grace period, in milliseconds since 1970. */
  gracePeriodExpiresDate?: number;
  /** The end of billing retry, in milliseconds since 1970. */
  billingRetryUntil?: number;
  /** A pending price increase. */
  priceIncrease?: PriceIncreaseInfo;
  /** A commitment of a year with monthly payments. */
  commitment?: CommitmentInfo;
  /** Win-back offers for which the customer is eligible now. */
  eligibleWinBackOfferIds?: Array<string>;
  /** Whether the customer shares the subscription with the family, if the product can be shared. */
  isShared: boolean;
  /** The actions that are possible now on the subscription; none if a family member shares it. */
  availableActions: Array<CustomerAction>;
}

/** The place of an auto-renewable subscription in its group. */
export interface SubscriptionPlanInfo {
  /** The subscription group identifier. */
  groupId: string;
  /** The level; 1 is the highest. */
  level: number;
  /** The length of a period: `P1W`, `P1M`, `P2M`, `P3M`, `P6M` or `P1Y`. */
  period: string;
  /** The billing plans of a yearly product; absent if the year is billed upfront at the product's price. */
  billingPlans?: Array<BillingPlanInfo>;
}

/**
 * `status` in Apple's responses and payloads (docs/api/subscriptions.md).
 * - `1`: The subscription is active.
 * - `2`: The subscription has expired.
 * - `3`: The store tries to collect a payment that failed.
 * - `4`: The store tries to collect a payment that failed, and the customer keeps access.
 * - `5`: The subscription was revoked.
 * Later versions may add values.
 */
export type SubscriptionStatus = 1 | 2 | 3 | 4 | 5 | (number & {});

/** How clients reach the server with TLS: the port, the proxy, the host names and the root certificate. */
export interface TLSInfo {
  /** The address of the TLS port and the proxy. */
  address: string;
  /** The TLS port. */
  port: number;
  /** The port of the proxy; absent without a proxy. */
  proxyPort?: number;
  /** The host names and IP addresses in the server's certificate. */
  names: Array<string>;
  /** The root certificate that TLS clients must trust, PEM. */
  rootCertificate: string;
  /** The SHA-256 fingerprint of this root, hexadecimal. */
  rootFingerprint: string;
  /** The file with this root on the server's machine. */
  rootFile: string;
  /** A file with the trusted roots of the server's machine and this root. */
  bundleFile: string;
  /** A JKS trust store file with the same roots, for Java. */
  javaTrustStoreFile: string;
  /** The end of validity of the server's certificate, in milliseconds since 1970. */
  serverCertificateEndDate: number;
}

/** A team. */
export interface TeamInfo {
  /** The issuer id, a UUID in lower case. */
  issuerId: string;
  /** The team's name. */
  name: string;
}

/** A token of the control API. */
export interface TokenInfo {
  /** The name: 1 to 64 letters, digits, dots, dashes and underscores. */
  name: string;
  /** The creation date, in milliseconds since 1970. */
  createdDate: number;
  /** What the token permits. */
  scope: ControlScope;
  /** The only app that the token permits to read or change; absent for all apps and the server itself. */
  bundleId?: string;
  /** The token, which clients send as `Authorization: Bearer …`; only in the answer that created it. */
  token?: string;
}

/** A transaction. Its signed parts are present only if the request asks for them with `include`. */
export interface TransactionInfo {
  /** The customer who owns the transaction. */
  customer: string;
  /** The transaction id. */
  transactionId: string;
  /** The original transaction id. */
  originalTransactionId: string;
  /** The customer's app transaction id. */
  appTransactionId: string;
  /** The id of the subscription period; only for auto-renewables. */
  webOrderLineItemId?: string;
  /** The order id on the customer's invoice. */
  orderId?: string;
  /** The product identifier. */
  productId: string;
  /** The quantity. */
  quantity: number;
  /** The total price in milliunits; absent for a family member's copy. */
  price?: number;
  /** The currency of the price, as an ISO 4217 code. */
  currency?: string;
  /** The purchase date, in milliseconds since 1970. */
  purchaseDate: number;
  /** The end of the period, in milliseconds since 1970; only for auto-renewables. */
  expiresDate?: number;
  /** The date of the refund, or of the end of sharing; absent while not revoked. */
  revocationDate?: number;
  /** The type of the revocation. */
  revocationType?: RevocationType;
  /** The refunded percentage of the price, in milliunits. */
  revocationPercentage?: number;
  /** The signed transaction, as the App Store Server API returns it; only with `include=signed`. */
  signedTransactionInfo?: string;
  /** The signed renewal info; only for auto-renewables, and only with `include=signed`. */
  signedRenewalInfo?: string;
  /** The data that StoreKit gives to the app on the customer's device; only with `include=device` or `include=receipt`. */
  device?: DeviceData;
  /** The subscription to which the transaction belongs; only for auto-renewables. */
  subscription?: SubscriptionInfo;
  /** The undecided refund request for the transaction. */
  refundRequest?: RefundRequestInfo;
  /** The actions that are possible now on the transaction; `subscription` has those on the subscription. */
  availableActions: Array<CustomerAction>;
}

/**
 * A part of a transaction that must be signed, so that an answer contains it only if the request asks for it.
 * - `signed`: `signedTransactionInfo` and `signedRenewalInfo`, as the App Store Server API returns them.
 * - `device`: `device`: the data that StoreKit gives to the app on the customer's device.
 * - `receipt`: `device` with the app receipt.
 */
export type TransactionPart = "signed" | "device" | "receipt";

/**
 * The initiator of the transaction.
 * - `PURCHASE`: The customer made the purchase.
 * - `RENEWAL`: The store charged for a renewal.
 * Later versions may add values.
 */
export type TransactionReason = "PURCHASE" | "RENEWAL" | (string & {});

/** Sends a notification of any type and subtype, with the current data. Changes no data. */
export interface TriggerNotification {
  /** The notification type. A TEST without the other properties is sent to the primary endpoint only, as by Apple's Request a Test Notification. */
  type: NotificationType;
  /** The subtype. */
  subtype?: NotificationSubtype;
  /** The transaction id; only for types about a transaction. */
  transactionId?: string;
  /** The customer of a RESCIND_CONSENT notification. */
  customer?: string;
}

/** An upcoming event. */
export interface UpcomingEventInfo {
  /** The date of the event, in milliseconds since 1970. */
  date: number;
  /** The customer who is affected. */
  customer: string;
  /** What happens. If several events are due at that date, the first. */
  event?: UpcomingEventKind;
  /** The original transaction id of the subscription, or the id of the transaction to refund. */
  transactionId?: string;
}

/**
 * The kind of event.
 * - `PRICE_NOTICE`: The customer is notified of a price increase.
 * - `RENEWAL`: The store charges the customer for a period.
 * - `END_OF_PERIOD`: The period ends, and the subscription expires or its renewal fails.
 * - `REFUND_DECISION`: The store decides on a refund request.
 * Later versions may add values.
 */
export type UpcomingEventKind = "PRICE_NOTICE" | "RENEWAL" | "END_OF_PERIOD" | "END_OF_GRACE" | "END_OF_RETRY" | "REFUND_DECISION" | (string & {});

/** The next events on a clock. */
export interface UpcomingEventList {
  /** The events, earliest first. */
  events: Array<UpcomingEventInfo>;
  /** When the next delivery is due, in milliseconds since 1970; may be in the past. */
  nextAttemptDate?: number;
}

/** Changes a customer's payment method, Ask to Buy or clock. The request contains at least one of the three; the server changes all that it contains, or nothing. Accepting the card charges failed payments at once. */
export interface UpdateCustomer {
  /** Whether the card is accepted: `declinedForRenewals` declines renewals only; `declined` also declines purchases. */
  card?: Card;
  /** Whether a parent must approve the customer's purchases (Ask to Buy). */
  asksToBuy?: boolean;
  /** The name of a customer clock for the customer and the customer's family; empty for the environment's clock. */
  clock?: string;
  /** The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default. */
  at?: number;
}

/** Changes what the request contains of an endpoint, and leaves the rest. */
export interface UpdateEndpoint {
  /** An http or https URL. */
  url?: string;
  /** The notification types to send, such as DID_RENEW or EXPIRED/VOLUNTARY; empty for all types. */
  types?: Array<string>;
  /** The version of the notifications: 1 or 2. */
  version?: NotificationVersion;
  /** True pauses the endpoint: its deliveries wait. False resumes it: what is pending is delivered. */
  paused?: boolean;
}

/** Changes the settings in the body. All other settings stay as they are. */
export interface UpdateSettings {
  /** The subscription renewal rate; `default` selects the server's setting. */
  rate?: RenewalRateChoice;
  /** The grace period; with 0 days, there is none. */
  grace?: GracePeriodInfo;
  /** How refund requests are decided. */
  refundRule?: RefundRule;
  /** If false, production answers 401, as before an app's first release. */
  released?: boolean;
  /** The payload profile: fair, sparse, tomorrow, tomorrow:SEED, or version:1.N. */
  payloadProfile?: string;
  /** What happens to a purchase in a storefront without a catalog price: Till uses the number of the standard price in the storefront's currency, or refuses the purchase. */
  missingPrice?: MissingPrice;
}

/** An offer that a customer has used for a purchase or for a subscription. */
export interface UsedOfferInfo {
  /** The type of the offer, as in signed transactions. */
  offerType: OfferType;
  /** The identifier of the offer; absent for an introductory offer. */
  offerIdentifier?: string;
  /** How the customer paid with the offer. */
  offerDiscountType?: OfferDiscountType;
  /** The product of the first transaction with the offer. */
  productId: string;
  /** The original transaction id of the purchase or subscription. */
  originalTransactionId: string;
  /** The purchase date of the first transaction with the offer, in milliseconds since 1970. */
  firstUseDate: number;
  /** The purchase date of the last transaction with the offer, in milliseconds since 1970. */
  lastUseDate: number;
  /** The number of transactions with the offer. */
  transactions: number;
}

/** The conditions under which a former subscriber may redeem a win-back offer. */
export interface WinBackInfo {
  /** The minimum number of paid months; 1 by default. */
  minimumPaidMonths?: number;
  /** The minimum and the maximum number of months since the subscription expired; 1 and 24 by default. */
  monthsSinceExpiry?: Array<number>;
  /** The minimum number of months between two win-back offers for one customer; 2 by default. */
  monthsBetweenOffers?: number;
}
