import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { useApp } from "till/testing";

const catalog = new URL("Shop.storekit", import.meta.url);

test("a declined renewal is recovered", async () => {
  const { app, endpoint, clock } = await useApp({ catalog });
  const ann = app.customer("ann");
  await ann.buy("pro.month", { offer: { kind: "NONE" } });
  await ann.declineCard();
  await clock.advance("1mo");
  const { renewalInfo } = await endpoint.expect("DID_FAIL_TO_RENEW");
  assert.equal(renewalInfo.isInBillingRetryPeriod, true);

  await clock.advance("10d");
  await ann.acceptCard();
  const { transaction } = await endpoint.expect("DID_RENEW", "BILLING_RECOVERY");
  assert.ok(transaction.expiresDate > await clock.now());
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

test("a server that was down gets the notification later", async () => {
  let isDown = true;
  const received = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (!isDown) received.push(body.signedPayload);
    response.writeHead(isDown ? 503 : 200).end();
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });

  const { app, clock } = await useApp({ catalog });
  await app.sendNotificationsTo(`http://127.0.0.1:${server.address().port}/apple`);
  await app.customer("ann").buy("coins.10");
  assert.equal(received.length, 0);
  isDown = false;
  await clock.advance("1h");
  const { notificationType } = app.verify(received[0], "notification");
  assert.equal(notificationType, "ONE_TIME_CHARGE");
  server.close();
  server.closeAllConnections();
});
