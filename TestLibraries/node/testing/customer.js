import { SETTLE } from "./clock.js";

/**
 * A customer of an app. Each operation waits until its notifications are delivered. `transaction` is a transaction id,
 * or an object with a `transactionId`: a purchase, or a transaction from a notification.
 */
export class Customer {
  #app;

  constructor(app, name) {
    this.#app = app;
    this.name = name;
  }

  #call(operation, values) {
    return this.#app.call(operation, { customer: this.name, ...values });
  }

  #act(operation, transaction, values) {
    const id = transaction?.transactionId ?? transaction;
    if (typeof id !== "string") throw new TypeError(`${operation} needs a transaction.`);
    const path = operation.endsWith("Subscription") || operation.endsWith("PriceIncrease")
      ? { originalTransactionId: id } : { transactionId: id };
    return this.#app.call(operation, { ...path, ...values, settle: SETTLE });
  }

  /**
   * Buys a product. Without `offer`, the customer gets the introductory offer if there is one for the customer.
   * `options` are the keys of a purchase in the control API, such as `quantity`, `offer` and `appAccountToken`.
   */
  async buy(productId, options = {}) {
    const answer = await this.#call("buyProduct", {
      productId, ...options, include: ["signed", "device"], settle: SETTLE,
    });
    const { transaction, ...rest } = answer;
    return { ...transaction, ...rest, signedTransaction: transaction?.device?.signedTransactionInfo };
  }

  /** Turns auto-renew off. */
  cancel(transaction, options) {
    return this.#act("cancelSubscription", transaction, options);
  }

  /** Turns auto-renew on. */
  resume(transaction, options) {
    return this.#act("resumeSubscription", transaction, options);
  }

  /** Changes to another product of the group, or to another offer. */
  change(transaction, productId, options) {
    return this.#act("changeSubscription", transaction, { productId, ...options });
  }

  /** Refunds a transaction: `share` (`FULL`, `UNUSED`, `PART`), `percentage` in thousandths of a percent, `reason`. */
  refund(transaction, options) {
    return this.#act("refundTransaction", transaction, options);
  }

  reverseRefund(transaction, options) {
    return this.#act("reverseRefund", transaction, options);
  }

  /** Asks for a refund, as a customer does. */
  requestRefund(transaction, options) {
    return this.#act("requestRefund", transaction, options);
  }

  declineRefund(transaction, options) {
    return this.#act("declineRefund", transaction, options);
  }

  acceptPriceIncrease(transaction, options) {
    return this.#act("acceptPriceIncrease", transaction, options);
  }

  declinePriceIncrease(transaction, options) {
    return this.#act("declinePriceIncrease", transaction, options);
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
  setAsksToBuy(asksToBuy) {
    return this.#update({ asksToBuy });
  }

  #update(change) {
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
  get() {
    return this.#call("getCustomer");
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
