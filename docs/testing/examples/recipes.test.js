import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { useApp } from "till/testing";

const catalog = new URL("Shop.storekit", import.meta.url);

// Payments that fail, cancellations, refunds

test("grace period", async () => {
  const { app, endpoint, clock } = await useApp({ catalog });
  await app.call("updateSettings", { grace: { days: 16 } });
  const ann = app.customer("ann");
  await ann.buy("pro.month", { offer: { kind: "NONE" } });
  await ann.declineCard();
  await clock.advance("1mo");
  const { renewalInfo } = await endpoint.expect("DID_FAIL_TO_RENEW", "GRACE_PERIOD");
  assert.ok(renewalInfo.gracePeriodExpiresDate > await clock.now()); // she keeps access until then
  await clock.advance("16d");
  await endpoint.expect("GRACE_PERIOD_EXPIRED");
});

test("billing retry", async () => {
  const { app, endpoint, clock } = await useApp({ catalog });
  const ann = app.customer("ann");
  await ann.buy("pro.month", { offer: { kind: "NONE" } });
  await ann.declineCard();
  await clock.advance("1mo");
  const { renewalInfo } = await endpoint.expect("DID_FAIL_TO_RENEW");
  assert.equal(renewalInfo.isInBillingRetryPeriod, true);
  await clock.advance("10d");
  await ann.acceptCard();
  await endpoint.expect("DID_RENEW", "BILLING_RECOVERY");
});

test("a canceled subscription ends with its period", async () => {
  const { app, endpoint, clock } = await useApp({ catalog });
  const ann = app.customer("ann");
  const appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138";
  const { expiresDate } = await ann.buy("pro.month", { appAccountToken });
  await endpoint.expect("SUBSCRIBED", "INITIAL_BUY");
  await ann.cancel();
  await endpoint.expect("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED");
  await clock.advanceTo(expiresDate);
  const { transaction } = await endpoint.expect("EXPIRED", "VOLUNTARY");
  assert.equal(transaction.appAccountToken, appAccountToken);
  endpoint.expectNothingElse();
});

test("refund of a part", async () => {
  const { app, endpoint } = await useApp({ catalog });
  const purchase = await app.customer("ann").buy("coins.10");
  await app.customer("ann").refund(purchase, { percentage: 50 });
  const { transaction } = await endpoint.expect("REFUND");
  assert.equal(transaction.revocationPercentage, 50_000); // Apple counts in thousandths of a percent
});

// Faults. A rule that app.call adds concerns this app only.

test("an error of the App Store", async () => {
  const { app } = await useApp({ catalog });
  const { transactionId } = await app.customer("ann").buy("coins.10");
  await app.call("addFault", { kind: "error", code: 5000001, limit: 1 });
  await assert.rejects(() => app.request(`/inApps/v1/transactions/${transactionId}`), /500 .*5000001/);
  assert.ok(await app.request(`/inApps/v1/transactions/${transactionId}`));
});

test("a notification that arrives twice", async () => {
  const { app, endpoint } = await useApp({ catalog });
  await app.call("addFault", { kind: "duplicate", limit: 1 });
  await app.customer("ann").buy("coins.10");
  assert.equal(endpoint.attempts(await endpoint.expect("ONE_TIME_CHARGE")), 2);
});

test("notifications out of order", async () => {
  const { app, endpoint } = await useApp({ catalog });
  await app.call("addFault", { kind: "reorder", route: "SUBSCRIBED", limit: 1 });
  const ann = app.customer("ann");
  await ann.buy("pro.month");
  assert.deepEqual(endpoint.received, []); // held back until the next notification of the subscription was delivered
  await ann.cancel();
  const types = endpoint.received.map(({ notificationType }) => notificationType);
  assert.deepEqual(types, ["DID_CHANGE_RENEWAL_STATUS", "SUBSCRIBED"]);
});

test("a lost notification is sent again", async () => {
  const { app, endpoint } = await useApp({ catalog });
  await app.call("addFault", { kind: "drop", route: "ONE_TIME_CHARGE", limit: 1 });
  await app.customer("ann").buy("coins.10");
  assert.deepEqual(endpoint.received, []);
  const [{ notificationUUID }] = (await app.call("listNotifications")).notifications;
  await app.call("resendNotifications", { notificationUUID, settle: 60 });
  await endpoint.expect("ONE_TIME_CHARGE");
});

// Security

test("forgeries are refused", async () => {
  const { app } = await useApp({ catalog });
  await app.customer("ann").buy("coins.10");
  for (const { mustBeRefused, signedPayload, wrong } of await app.call("listAttacks")) {
    const backend = () => {
      const { data } = app.verify(signedPayload, "notification");
      app.verify(data.signedTransactionInfo, "transaction");
    };
    if (mustBeRefused) assert.throws(backend, undefined, wrong);
  }
});

test("a wrong key", async () => {
  const { app } = await useApp({ catalog });
  const token = app.token();
  await app.call("revokeKey", { keyId: app.keyId });
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${app.address}/inApps/v1/notifications/test`, { method: "POST", headers });
  assert.equal(answer.status, 401);
});

// Your server

test("a server that was down", async (context) => {
  let isDown = true;
  const received = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join(""));
    if (!isDown) received.push(body.signedPayload);
    response.writeHead(isDown ? 503 : 200).end();
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  context.after(() => { server.close(); server.closeAllConnections(); });

  const { app, endpoint, clock } = await useApp({ catalog });
  await app.sendNotificationsTo(`http://127.0.0.1:${server.address().port}/apple`);
  await app.customer("ann").buy("coins.10");
  await endpoint.expect("ONE_TIME_CHARGE"); // the receiver of the test gets it, too
  assert.deepEqual(received, []);

  // Apple's notification history is about the deliveries to the server.
  const now = (await clock.now()).getTime();
  const body = { startDate: now - 3_600_000, endDate: now, onlyFailures: true };
  const history = await app.request("/inApps/v1/notifications/history", { method: "POST", body });
  const [missed] = history.notificationHistory.map(({ signedPayload }) => app.verify(signedPayload, "notification"));
  assert.equal(missed.notificationType, "ONE_TIME_CHARGE");

  // The App Store tries again after an hour.
  isDown = false;
  await clock.advance("1h");
  assert.equal(received.length, 1);
});

test("a server that uses the time of its machine", async () => {
  const start = Date.now() - 33 * 86_400_000;
  const { app, endpoint, clock } = await useApp({ catalog, start });
  await app.customer("ann").buy("pro.month", { offer: { kind: "NONE" } });
  await clock.advanceTo(Date.now());
  const { transaction } = await endpoint.expect("DID_RENEW");
  assert.ok(transaction.expiresDate > Date.now());
});
