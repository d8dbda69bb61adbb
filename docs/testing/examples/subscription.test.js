import assert from "node:assert/strict";
import { test } from "node:test";
import { useApp } from "till/testing";

/** The server under test: it keeps the latest transaction of each subscription, and decides who has access. */
class Backend {
  #latest = new Map();

  constructor(appStore) {
    this.appStore = appStore;
  }

  receive(signedPayload) {
    const { data } = this.appStore.verify(signedPayload, "notification");
    const transaction = this.appStore.verify(data.signedTransactionInfo, "transaction");
    this.#latest.set(transaction.originalTransactionId, transaction);
  }

  hasAccess(originalTransactionId, now) {
    const { revocationDate, expiresDate } = this.#latest.get(originalTransactionId);
    return revocationDate === undefined && now < expiresDate;
  }

  async payments(transactionId) {
    const history = await this.appStore.request(`/inApps/v2/history/${transactionId}`);
    return history.signedTransactions.map((signed) => this.appStore.verify(signed, "transaction").price);
  }
}

test("from trial to refund", async () => {
  const { app, endpoint, clock } = await useApp({ catalog: new URL("Shop.storekit", import.meta.url) });
  const backend = new Backend(app);
  const ann = app.customer("ann");

  // Ann subscribes. The first week is free.
  const purchase = await ann.buy("pro.month");
  backend.receive((await endpoint.expect("SUBSCRIBED", "INITIAL_BUY")).signedPayload);
  assert.ok(backend.hasAccess(purchase.originalTransactionId, await clock.now()));
  assert.deepEqual(await backend.payments(purchase.transactionId), [0]);

  // After the week, she pays for the first month.
  await clock.advance("1w");
  assert.ok(!backend.hasAccess(purchase.originalTransactionId, await clock.now()));
  const renewal = await endpoint.expect("DID_RENEW");
  backend.receive(renewal.signedPayload);
  assert.ok(backend.hasAccess(purchase.originalTransactionId, await clock.now()));
  assert.deepEqual(await backend.payments(purchase.transactionId), [0, 4990]);

  // The App Store refunds the month.
  await ann.refund(renewal.transaction);
  const refund = await endpoint.expect("REFUND");
  backend.receive(refund.signedPayload);
  assert.ok(refund.transaction.revocationDate);
  assert.ok(!backend.hasAccess(purchase.originalTransactionId, await clock.now()));
  const { data: [group] } = await app.request(`/inApps/v1/subscriptions/${purchase.transactionId}`);
  assert.equal(group.lastTransactions[0].status, 5); // revoked
});
