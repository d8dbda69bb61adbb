import type {
  AdvanceReportInfo, CustomerInfo, HeldPurchaseInfo, LedgerEntryInfo, NotificationSubtype, NotificationType, Operations,
  PurchaseInfo, SubscriptionInfo, TransactionInfo,
} from "./control.js";

export type * from "./control.js";

export type Environment = "sandbox" | "production";

export interface AppOptions {
  /** The path or URL of a `.storekit` file. */
  catalog?: string | URL;
  /** Default: `sandbox`. */
  environment?: Environment;
  /** Default: a random one. */
  bundleId?: string;
  /** The time that the app's clock shows at first. Default: the present time, as a whole second. */
  start?: Date | number | string;
}

export interface EndpointOptions {
  /** The address on which the receiver listens. Default: `127.0.0.1`. */
  host?: string;
  /** The name under which Till finds the receiver, such as `host.docker.internal`. Default: `host`. */
  hostname?: string;
  /** Default: 0, a free port. */
  port?: number;
  /** The name of the endpoint. Default: `primary`, or `test` if there is a primary endpoint. */
  name?: string;
  /** Only notifications of these types, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`. */
  types?: string[];
}

/**
 * Creates an app on the server of this process, with an endpoint: everything that a test needs. The app, the server and
 * the endpoint end with the process.
 */
export function useApp(
  options?: AppOptions & { endpoint?: EndpointOptions },
): Promise<{ till: Till; app: App; clock: Clock; endpoint: Endpoint }>;

/**
 * The server of this process: the one that the environment variable `TILL_CONTROL` names, otherwise a new one, which
 * keeps its data in memory and ends with the process.
 */
export function startTill(options?: {
  /** Further arguments of `till serve`, such as `["--profile", "apple"]`. */
  arguments?: string[];
}): Promise<Till>;

/** What an operation of the control API takes, without the app and the environment. */
type OfApp<Name extends keyof Operations> =
  Omit<Operations[Name]["input"], "bundleId" | "environment"> & { bundleId?: string; environment?: Environment };

/** A running server. */
export class Till {
  private constructor();
  readonly control: ControlClient;
  /** The address of the sandbox environment. */
  readonly sandbox: string;
  /** The address of the production environment. */
  readonly production: string;
  /** The file of the server's log, until the server ends; `undefined` if the server is shared. */
  readonly logFile: string | undefined;
  /** Whether other processes use the server, too. Then the apps of this process are deleted at its end. */
  readonly isShared: boolean;
  /** Creates an app with its own bundle id, API key and catalog, and a frozen clock. */
  createApp(options?: AppOptions): Promise<App>;
  /** Calls an operation of the control API by its `operationId`. */
  call<Name extends keyof Operations>(
    operation: Name, values?: Operations[Name]["input"], body?: string,
  ): Promise<Operations[Name]["output"]>;
  /** The last lines of the server's log; empty if the server is shared. */
  log(lines?: number): string;
  /** Ends the server; if it is shared, deletes the apps of this process. The end of the process has the same effect. */
  stop(): Promise<void>;
}

/** An app in one environment, with an API key. Its clock is frozen, so that time passes only when a test says so. */
export class App {
  private constructor();
  readonly bundleId: string;
  readonly appAppleId: number;
  readonly environment: Environment;
  /** The environment as signed data and Apple's libraries name it. */
  readonly appleEnvironment: "Sandbox" | "Production";
  /** The address of the App Store Server API. */
  readonly address: string;
  /** The id of the API key. */
  readonly keyId: string;
  /** The issuer id of the API key. */
  readonly issuerId: string;
  /** The private key of the API key, as PEM. */
  readonly privateKey: string;
  /** The root certificate as PEM. */
  readonly rootCertificate: string;
  /** The root certificate as DER, in a list, as Apple's library takes it. */
  readonly rootCertificates: Buffer[];
  readonly clock: Clock;
  /** The customer with this name. The first operation creates the customer, with these options. */
  customer(name: string, options?: { storefront?: string; platform?: string; downloadsApp?: boolean }): Customer;
  /** A receiver of this app's notifications. */
  listen(options?: EndpointOptions): Promise<Endpoint>;
  /**
   * Lets Till also send the notifications of this app to a server of yours. It becomes the endpoint `primary`, which
   * Apple's notification history is about; a receiver that has this name so far becomes the endpoint `test`.
   */
  sendNotificationsTo(url: string | URL, options?: { name?: string; types?: string[] }): Promise<unknown>;
  /** A bearer token for the App Store Server API, valid for five minutes. */
  token(): string;
  /** Sends a request to the App Store Server API, and returns its answer. Signed parts are not verified. */
  request(path: string, options?: { method?: string; body?: unknown }): Promise<any>;
  /** Verifies signed data as Apple's libraries do, and returns its payload. Throws a `SignedDataError`. */
  verify(signedData: string, kind?: SignedDataKind): any;
  /** Saves the state of this app. `restore()` brings it back, with the time of its clock, and empties its endpoints. */
  snapshot(): Promise<{ readonly name: string; restore(): Promise<void>; delete(): Promise<void> }>;
  /** Calls an operation of the control API for this app and environment, if it has them in its path, query or body. */
  call<Name extends keyof Operations>(
    operation: Name, values?: OfApp<Name>, body?: string,
  ): Promise<Operations[Name]["output"]>;
  /** Deletes the app with its data and its API key, and closes its endpoints. */
  delete(): Promise<void>;
}

/** The clock of an app. It is frozen: only a test advances it. */
export class Clock {
  private constructor();
  /** The name of a customer clock; `undefined` for the environment's clock. */
  readonly name: string | undefined;
  /** The time of the clock. */
  now(): Promise<Date>;
  /**
   * Advances the clock by a duration such as `1mo`, `7d`, `36h` or `P1M`, and waits until the notifications of what
   * happened on the way are delivered.
   */
  advance(by: string): Promise<AdvanceReportInfo>;
  /** Advances the clock to a `Date`, to milliseconds since 1970, or to a date as text. */
  advanceTo(date: Date | number | string): Promise<AdvanceReportInfo>;
  /** Advances the clock to the next renewal, expiration or other event. */
  advanceToNextEvent(): Promise<AdvanceReportInfo>;
  /** What will happen on the clock, earliest first. */
  upcomingEvents(): Promise<Operations["listUpcomingEvents"]["output"]>;
}

/**
 * A purchase: its transaction, and what else the control API answers. While it waits for approval (`result` is `held`),
 * the keys of the transaction and `signedTransaction` are absent.
 */
export type Purchase = TransactionInfo & Omit<PurchaseInfo, "transaction"> & {
  /** The signed transaction as StoreKit gives it to the app. */
  signedTransaction: string;
};

/** A transaction id, a purchase, or a transaction from a notification. */
export type AnyTransaction = string | { transactionId: string };

/** What the methods of a customer find out, or take as other arguments. */
type Given = "bundleId" | "environment" | "transactionId" | "originalTransactionId" | "settle" | "productId" | "days";
type Options<Name extends keyof Operations> = Omit<Operations[Name]["input"], Given>;
type Answer<Name extends keyof Operations> = Promise<Operations[Name]["output"]>;

/**
 * A customer of an app. Each operation waits until its notifications are delivered. Without `transaction`, an operation
 * concerns the latest transaction, or the only subscription, of the customer.
 */
export class Customer {
  private constructor();
  readonly name: string;
  /** Buys a product. Without `offer`, the customer gets the introductory offer if there is one for the customer. */
  buy(
    productId: string, options?: Omit<Options<"buyProduct">, "customer" | "include">,
  ): Promise<Purchase>;
  /** Turns auto-renew off. */
  cancel(transaction?: AnyTransaction, options?: Options<"cancelSubscription">): Answer<"cancelSubscription">;
  /** Turns auto-renew on. */
  resume(transaction?: AnyTransaction, options?: Options<"resumeSubscription">): Answer<"resumeSubscription">;
  /** Changes to another product of the group, or to another offer. */
  change(
    productId: string, transaction?: AnyTransaction, options?: Options<"changeSubscription">,
  ): Answer<"changeSubscription">;
  /** Extends the current period by 1 to 90 days. */
  extend(
    days: number, transaction?: AnyTransaction, options?: Options<"extendSubscription">,
  ): Answer<"extendSubscription">;
  acceptPriceIncrease(
    transaction?: AnyTransaction, options?: Options<"acceptPriceIncrease">,
  ): Answer<"acceptPriceIncrease">;
  declinePriceIncrease(
    transaction?: AnyTransaction, options?: Options<"declinePriceIncrease">,
  ): Answer<"declinePriceIncrease">;
  /** Refunds a transaction: `share` (`FULL`, `UNUSED`, `PART`), `percentage` (50 is the half), `reason`. */
  refund(transaction?: AnyTransaction, options?: Options<"refundTransaction">): Answer<"refundTransaction">;
  reverseRefund(transaction?: AnyTransaction, options?: Options<"reverseRefund">): Answer<"reverseRefund">;
  /** Asks for a refund, as a customer does. */
  requestRefund(transaction?: AnyTransaction, options?: Options<"requestRefund">): Answer<"requestRefund">;
  declineRefund(transaction?: AnyTransaction, options?: Options<"declineRefund">): Answer<"declineRefund">;
  /** The card is declined: for renewals, or, with `purchases`, also for purchases. */
  declineCard(options?: { purchases?: boolean }): Answer<"updateCustomer">;
  /** The card is accepted. Till charges at once for subscriptions in billing retry. */
  acceptCard(): Answer<"updateCustomer">;
  /** Whether a parent must approve the purchases (Ask to Buy). */
  askToBuy(asks?: boolean): Answer<"updateCustomer">;
  /** The purchases that wait for a parent, or for the customer. */
  heldPurchases(): Promise<HeldPurchaseInfo[]>;
  approve(number: number): Answer<"approvePurchase">;
  decline(number: number): Answer<"declinePurchase">;
  /** The customer as the control API describes it, with owned products and subscriptions. */
  info(): Promise<CustomerInfo>;
  /** The only subscription of the customer. */
  subscription(): Promise<SubscriptionInfo>;
  /** The last 100 transactions of the customer, most recent change first. */
  transactions(): Promise<LedgerEntryInfo[]>;
  /** The app receipt of the customer, in Base64, for verifyReceipt. */
  receipt(options?: { transactionId?: string; deviceId?: string }): Promise<string>;
}

/** A verified notification: its payload, with its signed parts verified and decoded. */
export interface Notification {
  notificationType: NotificationType;
  subtype?: NotificationSubtype;
  notificationUUID: string;
  version: string;
  signedDate: number;
  data?: Record<string, any>;
  summary?: Record<string, any>;
  /** The payload of `data.signedTransactionInfo`. */
  transaction: any;
  /** The payload of `data.signedRenewalInfo`. */
  renewalInfo: any;
  signedPayload: string;
}

export interface RefusedDelivery {
  /** The status of the answer. */
  status: number;
  reason: string;
  body?: string;
  notification?: Notification;
}

/** A receiver of notifications, which verifies and collects them. */
export class Endpoint {
  private constructor();
  readonly url: string;
  /** The verified notifications, oldest first. A notification that is delivered again counts once. */
  readonly received: Notification[];
  /** The deliveries that were not accepted. */
  readonly refused: RefusedDelivery[];
  /**
   * The next notification of this type, and of this subtype if it is given, that no call of `expect` has returned yet.
   * Waits for it, and fails after `timeout` milliseconds (10,000) with a list of what arrived instead, and the fault
   * rules that hit such notifications.
   */
  expect(
    type: NotificationType | `${NotificationType}/${NotificationSubtype}`, subtype?: NotificationSubtype | null,
    options?: { timeout?: number },
  ): Promise<Notification>;
  /** Fails if a notification has arrived that no call of `expect` has returned. */
  expectNothingElse(): void;
  /** How many deliveries of a notification arrived, with those that `fail` refused. */
  attempts(notification: { notificationUUID: string }): number;
  /**
   * Answers the next deliveries with this status (500), but accepts again what was accepted before. Till repeats them
   * later on the app's clock.
   */
  fail(status?: number, times?: number): void;
  /** Forgets what has arrived, and the failures that were asked for. */
  clear(): void;
  /** Stops listening. Till keeps the address until another one is set, or the app is deleted. */
  close(): Promise<void>;
}

/** A client of the control API. */
export class ControlClient {
  constructor(address: string, token?: string);
  readonly address: string;
  /** Calls an operation by its `operationId`. `body` replaces the keys of the body by a text, such as a file. */
  call<Name extends keyof Operations>(
    operation: Name, values?: Operations[Name]["input"], body?: string,
  ): Promise<Operations[Name]["output"]>;
}

/** A request that the control API refused. */
export class ControlError extends Error {
  constructor(operation: string, status: number, answer?: { code?: string; message?: string });
  readonly status: number;
  readonly code?: string;
  readonly faults?: Array<{ path: string; expected: string; found: string }>;
}

/** The server does not answer. The message says why, if the server was started by this process. */
export class UnreachableError extends Error {}

export type SignedDataKind = "notification" | "transaction" | "renewalInfo" | "appTransaction";

/** Signed data that is not what it claims to be. */
export class SignedDataError extends Error {
  constructor(message: string);
}

/**
 * Verifies a JWS of the App Store: the chain to a trusted root, the purpose of its certificates, the signature, and the
 * app and environment for which it was signed. Returns the payload.
 */
export function verifySignedData(signedData: string, expected: {
  rootCertificates: Array<Buffer | string>;
  bundleId: string;
  appAppleId?: number;
  environment: "Sandbox" | "Production";
  /** Default: each of them. */
  kind?: SignedDataKind;
}): any;
