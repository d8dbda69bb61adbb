import assert from "node:assert/strict";
import { test } from "node:test";
import { useApp } from "till/testing";

/** The backend under test: it decides from Apple's notifications who may use Pro. */
class Entitlements {
  #expires = new Map();

  handle({ transaction }) {
    const isRevoked = transaction.revocationDate !== undefined;
    this.#expires.set(transaction.originalTransactionId, isRevoked ? 0 : transaction.expiresDate);
  }

  isActive(originalTransactionId, date) {
    return date < (this.#expires.get(originalTransactionId) ?? 0);
  }
}

test("from trial to refund", async () => {
  const { app, clock, endpoint } = await useApp({ catalog: new URL("Shop.storekit", import.meta.url) });
  const entitlements = new Entitlements();
  const ann = app.customer("ann");

  // Ann buys Pro, and gets the free week.
  const purchase = await ann.buy("pro.month");
  const { originalTransactionId } = purchase;
  assert.equal(app.verify(purchase.signedTransaction).offerDiscountType, "FREE_TRIAL");
  entitlements.handle(await endpoint.expect("SUBSCRIBED", "INITIAL_BUY"));
  assert.ok(entitlements.isActive(originalTransactionId, await clock.now()));

  // A week later, the first paid month begins.
  await clock.advance("7d");
  assert.ok(!entitlements.isActive(originalTransactionId, await clock.now()));
  const renewal = await endpoint.expect("DID_RENEW");
  entitlements.handle(renewal);
  assert.ok(entitlements.isActive(originalTransactionId, await clock.now()));

  const history = await app.request(`/inApps/v2/history/${originalTransactionId}`);
  const prices = history.signedTransactions.map((signed) => app.verify(signed).price);
  assert.deepEqual(prices, [0, 4990]);

  // Ann gets her money back, and loses access.
  await ann.refund(renewal.transaction);
  const refund = await endpoint.expect("REFUND");
  assert.ok(refund.transaction.revocationDate);
  entitlements.handle(refund);
  assert.ok(!entitlements.isActive(originalTransactionId, await clock.now()));

  const { data: [group] } = await app.request(`/inApps/v1/subscriptions/${originalTransactionId}`);
  assert.equal(group.lastTransactions[0].status, 5); // revoked
});
