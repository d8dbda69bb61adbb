import { SETTLE } from "./clock.js";

/**
 * A customer of an app. Each operation waits until its notifications are delivered. `transaction` is a transaction id,
 * or an object with a `transactionId`: a purchase, or a transaction from a notification. Without it, an operation
 * concerns the latest transaction, or the only subscription, of the customer.
 */
export class Customer {
  #app;
  #options;
  #created;

  constructor(app, name, options) {
    this.#app = app;
    this.#options = options;
    this.name = name;
  }

  /** Creates the customer, who may exist. A purchase creates a customer by itself, but without options. */
  #create() {
    const customer = { customer: this.name, clock: this.#app.clock.name, ...this.#options };
    this.#created ??= this.#app.call("createCustomer", customer).catch((error) => {
      this.#created = undefined;
      throw error;
    });
    return this.#created;
  }

  #call(operation, values) {
    return this.#app.call(operation, { customer: this.name, ...values });
  }

  async #onTransaction(operation, transaction, values) {
    const { transactionId } = transaction === undefined ? await this.#latest() : identified(transaction);
    return this.#app.call(operation, { transactionId, ...values, settle: SETTLE });
  }

  async #onSubscription(operation, transaction, values) {
    const chosen = transaction === undefined ? await this.subscription() : identified(transaction);
    return this.#app.call(operation, { originalTransactionId: chosen.transactionId, ...values, settle: SETTLE });
  }

  async #latest() {
    const [latest] = await this.transactions();
    if (!latest) throw new Error(`${this.name} has bought nothing.`);
    return latest;
  }

  /**
   * Buys a product. Without `offer`, the customer gets the introductory offer if there is one for the customer.
   * `options` are the keys of a purchase in the control API, such as `quantity`, `offer` and `appAccountToken`.
   */
  async buy(productId, options = {}) {
    if (Object.keys(this.#options).length > 0) await this.#create();
    const answer = await this.#call("buyProduct", {
      productId, clock: this.#app.clock.name, ...options, include: ["signed", "device"], settle: SETTLE,
    });
    const { transaction, ...rest } = answer;
    return { ...transaction, ...rest, signedTransaction: transaction?.device?.signedTransactionInfo };
  }

  /** Turns auto-renew off. */
  cancel(transaction, options) {
    return this.#onSubscription("cancelSubscription", transaction, options);
  }

  /** Turns auto-renew on. */
  resume(transaction, options) {
    return this.#onSubscription("resumeSubscription", transaction, options);
  }

  /** Changes to another product of the group, or to another offer. */
  change(productId, transaction, options) {
    return this.#onSubscription("changeSubscription", transaction, { productId, ...options });
  }

  /** Extends the current period by 1 to 90 days. */
  extend(days, transaction, options) {
    return this.#onSubscription("extendSubscription", transaction, { days, ...options });
  }

  acceptPriceIncrease(transaction, options) {
    return this.#onSubscription("acceptPriceIncrease", transaction, options);
  }

  declinePriceIncrease(transaction, options) {
    return this.#onSubscription("declinePriceIncrease", transaction, options);
  }

  /** Refunds a transaction: `share` (`FULL`, `UNUSED`, `PART`), `percentage` (50 is the half), `reason`. */
  async refund(transaction, options = {}) {
    // The control API has thousandths of a percent, as the transaction has in revocationPercentage.
    const { percentage, ...rest } = options;
    if (percentage === undefined) return this.#onTransaction("refundTransaction", transaction, rest);
    if (!(percentage > 0 && percentage < 100)) {
      throw new TypeError(`percentage is ${percentage}. Use more than 0 and less than 100; without it, all.`);
    }
    const part = { share: "PART", ...rest, percentage: Math.round(percentage * 1000) };
    return this.#onTransaction("refundTransaction", transaction, part);
  }

  reverseRefund(transaction, options) {
    return this.#onTransaction("reverseRefund", transaction, options);
  }

  /** Asks for a refund, as a customer does. */
  requestRefund(transaction, options) {
    return this.#onTransaction("requestRefund", transaction, options);
  }

  declineRefund(transaction, options) {
    return this.#onTransaction("declineRefund", transaction, options);
  }

  /** The card is declined: for renewals, or, with `{ purchases: true }`, also for purchases. */
  declineCard({ purchases = false } = {}) {
    return this.#update({ card: purchases ? "declined" : "declinedForRenewals" });
  }

  /** The card is accepted. Till charges at once for subscriptions in billing retry. */
  acceptCard() {
    return this.#update({ card: "accepted" });
  }

  /** Whether a parent must approve the purchases (Ask to Buy). */
  askToBuy(asks = true) {
    return this.#update({ asksToBuy: asks });
  }

  async #update(change) {
    await this.#create();
    return this.#call("updateCustomer", { ...change, settle: SETTLE });
  }

  /** The purchases that wait for a parent, or for the customer. */
  heldPurchases() {
    return this.#call("listHeldPurchases");
  }

  approve(number) {
    return this.#call("approvePurchase", { number, settle: SETTLE });
  }

  decline(number) {
    return this.#call("declinePurchase", { number, settle: SETTLE });
  }

  /** The customer as the control API describes it, with owned products and subscriptions. */
  info() {
    return this.#call("getCustomer");
  }

  /** The only subscription of the customer. */
  async subscription() {
    const { subscriptions } = await this.info();
    if (subscriptions.length === 1) return subscriptions[0];
    const found = subscriptions.map(({ productId, transactionId }) => `${productId} (${transactionId})`).join(", ");
    throw new Error(`${this.name} has not one subscription, but ${subscriptions.length}: ${found || "none"}.`);
  }

  /** The last 100 transactions of the customer, most recent change first. */
  async transactions() {
    return (await this.#call("listTransactions", { limit: 100 })).transactions;
  }

  /** The app receipt of the customer, in Base64, for verifyReceipt. */
  async receipt(options) {
    return (await this.#call("getReceipt", options)).receipt;
  }
}

function identified(transaction) {
  const transactionId = transaction?.transactionId ?? transaction;
  if (typeof transactionId !== "string") throw new TypeError("Expected a transaction id, or an object that has one.");
  return { transactionId };
}
