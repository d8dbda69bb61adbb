import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";

import {
  App, Clock, ControlClient, ControlError, Customer, Endpoint, SignedDataError, startTill, Till, useApp,
} from "till/testing";

const catalog = process.env.SHOP;
const OWNER = fileURLToPath(new URL("owner.js", import.meta.url));
const LIMIT_MS = 120_000;

/** Polls, because a busy machine may need long. */
async function until(condition, what) {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `it did not happen: ${what}`);
    await sleep(20);
  }
}

function isRunning(process_) {
  try {
    // A zombie has no command line.
    return readFileSync(`/proc/${process_}/cmdline`).length > 0;
  } catch {
    return false;
  }
}

/** The process that answers at an address of a control API, or undefined. */
async function isAnswering(address) {
  return fetch(`${address}/readyz`).then((answer) => answer.ok, () => false);
}

let till;
before(async () => { till = await startTill(); });

test("an app has its own bundle id, key, catalog, clock and endpoint", async () => {
  const [one, two] = await Promise.all([useApp({ catalog }), useApp({ catalog })]);
  assert.equal(one.till, till);
  assert.notEqual(one.app.bundleId, two.app.bundleId);
  assert.notEqual(one.app.keyId, two.app.keyId);
  assert.notEqual(one.endpoint.url, two.endpoint.url);
  const before = await two.clock.now();
  await one.clock.advance("1mo");
  assert.deepEqual(await two.clock.now(), before);
  const purchase = await one.app.customer("ann").buy("coins.10", { quantity: 3 });
  assert.equal((await one.endpoint.expect("ONE_TIME_CHARGE")).transaction.quantity, 3);
  assert.equal(two.endpoint.received.length, 0);
  assert.ok(!inspect(one, { depth: 9, showHidden: true }).includes(one.app.privateKey.slice(40, 60)));
  assert.equal(purchase.result, "purchased");
  assert.deepEqual(purchase.notifications, ["ONE_TIME_CHARGE"]);
  const unknown = { name: "ControlError", status: 404, code: "unknown_account" };
  await assert.rejects(() => two.app.customer("ann").info(), unknown);
});

test("the clock advances by a duration, to a date, and to the next event", async () => {
  const { app, clock, endpoint } = await useApp({ catalog });
  const start = await clock.now();
  await clock.advance("36h");
  assert.equal((await clock.now()) - start, 36 * 3_600_000);
  const { expiresDate } = await app.customer("bob").buy("pro.month", { offer: { kind: "NONE" } });
  assert.equal((await clock.upcomingEvents()).events.length, 1);
  await clock.advanceToNextEvent();
  assert.equal((await clock.now()).getTime(), expiresDate);
  await endpoint.expect("DID_RENEW");
  await clock.advanceTo(new Date(expiresDate + 1000));
  assert.equal((await clock.now()).getTime(), expiresDate + 1000);
  assert.throws(() => clock.advanceTo("soon"), /not a date: soon/);
  assert.equal(start % 1000, 0);
  await assert.rejects(() => clock.advance("soon"), { code: "bad_duration" });
});

test("a customer cancels, resumes, is declined, recovers, asks for a refund and gets it back", async () => {
  const { app, clock, endpoint } = await useApp({ catalog });
  const ann = app.customer("ann");
  const purchase = await ann.buy("pro.month", { offer: { kind: "NONE" } });
  await endpoint.expect("SUBSCRIBED");
  await ann.cancel();
  await endpoint.expect("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED");
  await ann.resume(purchase.transactionId);
  await endpoint.expect("DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED");
  await ann.declineCard();
  await clock.advance("1mo");
  await endpoint.expect("DID_FAIL_TO_RENEW");
  await ann.acceptCard();
  const { transaction } = await endpoint.expect("DID_RENEW", "BILLING_RECOVERY");
  await ann.refund(transaction, { percentage: 50 });
  assert.equal((await endpoint.expect("REFUND")).transaction.revocationPercentage, 50_000);
  await ann.reverseRefund();
  await endpoint.expect("REFUND_REVERSED");
  assert.deepEqual((await ann.info()).subscriptions.map(({ status }) => status), [1]);
  assert.deepEqual((await ann.transactions()).map(({ price }) => price), [4990, 4990]);
  assert.ok(Buffer.from(await ann.receipt(), "base64").length > 1000);
  await ann.declineCard({ purchases: true });
  await assert.rejects(() => ann.buy("coins.10"), ControlError);
  await ann.extend(14, purchase);
  await endpoint.expect("RENEWAL_EXTENDED");
  endpoint.expectNothingElse();
  await assert.rejects(() => ann.cancel({}), /Expected a transaction id/);
  await assert.rejects(() => app.customer("bob").refund(), { code: "unknown_account" });
});

test("a purchase waits for a parent", async () => {
  const { app, endpoint } = await useApp({ catalog });
  const kim = app.customer("kim");
  await app.call("createCustomer", { customer: "kim" });
  await kim.askToBuy();
  const pending = await kim.buy("coins.10");
  assert.deepEqual([pending.result, pending.signedTransaction], ["held", undefined]);
  await kim.buy("pro.month");
  const [first, second] = await kim.heldPurchases();
  await kim.approve(first.number);
  await kim.decline(second.number);
  await assert.rejects(() => kim.cancel(), /kim has not one subscription, but 0: none\./);
  await endpoint.expect("ONE_TIME_CHARGE");
  assert.equal(endpoint.received.length, 1);
});

test("a delivery that the endpoint refuses is repeated", async () => {
  const { app, clock, endpoint } = await useApp({ catalog });
  endpoint.fail(503, 2);
  const purchase = await app.customer("ann").buy("coins.10");
  assert.equal(purchase.settled.pending, 1);
  await clock.advance("1h");
  assert.deepEqual(endpoint.refused.map(({ status }) => status), [503, 503]);
  assert.equal(endpoint.received.length, 0);
  await clock.advance("12h");
  const bought = await endpoint.expect("ONE_TIME_CHARGE");
  assert.equal(endpoint.attempts(bought), 3);
  // A notification that is delivered again counts once, and uses up no failure.
  endpoint.fail();
  const { notificationUUID } = bought;
  assert.equal((await app.call("resendNotifications", { notificationUUID, settle: 60 })).settled.delivered, 1);
  assert.equal(endpoint.attempts(bought), 4);
  await app.customer("ann").buy("coins.10");
  assert.equal(endpoint.received.length, 1);
});

test("the clock of an app can start in the past", async () => {
  const { app, clock, endpoint } = await useApp({ catalog, start: "2025-01-31T12:00:00Z" });
  assert.equal((await clock.now()).toISOString(), "2025-01-31T12:00:00.000Z");
  const { expiresDate } = await app.customer("ann").buy("pro.month");
  await clock.advanceTo(expiresDate);
  assert.equal((await endpoint.expect("DID_RENEW")).transaction.purchaseDate, expiresDate);
  assert.deepEqual((await clock.upcomingEvents()).events.length, 1);
  await assert.rejects(() => useApp({ catalog, start: "soon" }), /not a date: soon/);
});

test("expect fails with a list of what arrived instead", async () => {
  const { app, endpoint } = await useApp({ catalog });
  const nothing = endpoint.expect("TEST", undefined, { timeout: 1 });
  await assert.rejects(nothing, /^Error: No TEST .*\nNothing arrived\.$/);
  await app.customer("ann").buy("pro.month");
  await endpoint.expect("SUBSCRIBED");
  await app.customer("bob").buy("coins.10");
  await fetch(endpoint.url, { method: "POST", body: "{}" });
  const missing = endpoint.expect("SUBSCRIBED", "RESUBSCRIBE", { timeout: 1 });
  await assert.rejects(missing, (error) => {
    assert.deepEqual(error.message.split("\n"), [
      "No SUBSCRIBED/RESUBSCRIBE arrived within 0.001 s.",
      "Arrived:", "  SUBSCRIBED/INITIAL_BUY (already returned by expect)", "  ONE_TIME_CHARGE",
      "Refused:", "  a delivery, answered with 400: This is not a JWS: it does not have three parts.",
    ]);
    return true;
  });
  assert.throws(() => endpoint.expectNothingElse(), /^Error: Arrived, and not expected: ONE_TIME_CHARGE\.$/);
  // A call that waits gets the notification that arrives later.
  const later = endpoint.expect("REFUND");
  const [{ transactionId }] = await app.customer("bob").transactions();
  await app.customer("bob").refund(transactionId);
  assert.equal((await later).transaction.transactionId, transactionId);
});

test("forged notifications and transactions are refused", async () => {
  const { app, endpoint } = await useApp({ catalog });
  const attacks = await app.call("listAttacks");
  assert.ok(attacks.length > 12);
  for (const attack of attacks) {
    const body = JSON.stringify({ signedPayload: attack.signedPayload });
    const { status } = await fetch(endpoint.url, { method: "POST", body });
    assert.equal(status, attack.mustBeRefused ? 400 : 200, attack.case);
    const verify = () => app.verify(attack.signedTransactionInfo, "transaction");
    if (attack.mustBeRefused) assert.throws(verify, SignedDataError, attack.case);
    else assert.equal(verify().bundleId, app.bundleId);
  }
  const shown = endpoint.refused.map(({ reason }) => reason).join("\n");
  for (const reason of ["root is not trusted", "not valid at", "signature does not match", "HS256, not ES256",
    "Apple's extensions are missing", "three certificates", "for the app", "for the environment Production"]) {
    assert.ok(shown.includes(reason), reason);
  }
});

test("no changed character of signed data is accepted", async () => {
  const { app } = await useApp({ catalog });
  const { signedTransaction } = await app.customer("ann").buy("coins.10");
  assert.equal(app.verify(signedTransaction).productId, "coins.10");
  const step = Math.ceil(signedTransaction.length / 150);
  for (let index = 0; index < signedTransaction.length; index += step) {
    const other = signedTransaction[index] === "A" ? "B" : "A";
    const changed = signedTransaction.slice(0, index) + other + signedTransaction.slice(index + 1);
    assert.throws(() => app.verify(changed), SignedDataError, `character ${index}`);
  }
  for (const nonsense of ["", "a.b", "a.b.c", "....", undefined, `${signedTransaction}=`]) {
    assert.throws(() => app.verify(nonsense), SignedDataError);
  }
});

test("the App Store Server API answers in both environments, and explains a refusal", async () => {
  for (const environment of ["sandbox", "production"]) {
    const { app, endpoint } = await useApp({ catalog, environment });
    const { transactionId } = await app.customer("ann").buy("coins.10");
    const { signedTransactionInfo } = await app.request(`/inApps/v1/transactions/${transactionId}`);
    assert.equal(app.verify(signedTransactionInfo, "transaction").environment, app.appleEnvironment);
    assert.ok((await app.request("/inApps/v1/notifications/test", { method: "POST" })).testNotificationToken);
    await endpoint.expect("TEST");
    await assert.rejects(() => app.request("/inApps/v1/transactions/1"), /^Error: GET .*: 40[04] .*errorCode/);
  }
});

test("a snapshot brings an app back", async () => {
  const { app, clock, endpoint } = await useApp({ catalog });
  const ann = app.customer("ann");
  await ann.buy("coins.10");
  const start = await clock.now();
  const snapshot = await app.snapshot();
  await ann.buy("coins.10");
  await clock.advance("1mo");
  await snapshot.restore();
  assert.deepEqual([await clock.now(), endpoint.received], [start, []]);
  assert.equal((await ann.transactions()).length, 1);
  await ann.buy("coins.10");
  await endpoint.expect("ONE_TIME_CHARGE");
  await snapshot.delete();
  assert.ok(!(await till.call("listSnapshots")).some(({ name }) => name === snapshot.name));
});

test("a second server gets the notifications, too", async () => {
  const { app, endpoint } = await useApp({ catalog, endpoint: { host: "0.0.0.0", hostname: "localhost" } });
  assert.match(endpoint.url, /^http:\/\/localhost:/);
  const bodies = [];
  const backend = createServer(async (request, response) => {
    bodies.push(JSON.parse((await request.toArray()).join("")));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(backend, "listening");
  await app.sendNotificationsTo(`http://127.0.0.1:${backend.address().port}/apple`);
  await app.customer("ann").buy("coins.10");
  const { signedPayload } = await endpoint.expect("ONE_TIME_CHARGE");
  assert.deepEqual(bodies, [{ signedPayload }]);
  backend.close();
  backend.closeAllConnections();
});

test("a deleted app leaves no data and no key", async () => {
  const { app } = await useApp({ catalog });
  await app.customer("ann").buy("coins.10");
  await app.delete();
  assert.ok(!(await till.call("listApps")).some(({ bundleId }) => bundleId === app.bundleId));
  assert.ok(!(await till.call("listKeys")).some(({ keyId }) => keyId === app.keyId));
});

test("wrong calls and files name what is wrong", async () => {
  await assert.rejects(() => useApp({ catalog: "missing.storekit" }), { code: "ENOENT" });
  await assert.rejects(() => useApp({ environment: "Sandbox" }), /expected sandbox or production, not Sandbox/);
  await assert.rejects(() => useApp({ catalogue: "x" }), /useApp has no option catalogue\. Options: catalog, /);
  await assert.rejects(() => useApp({ endpoint: { path: "x" } }), /listen has no option path/);
  await assert.rejects(() => useApp({ start: "soon" }), /start: not a date: soon/);
  const { app, endpoint } = await useApp({ catalog });
  await assert.rejects(() => endpoint.expect("SUBSCRIBE"), /has no notification type SUBSCRIBE/);
  await app.customer("ann").buy("coins.10");
  await assert.rejects(() => app.customer("ann").refund("1", { percentage: 100 }), /percentage is 100/);
  await assert.rejects(() => till.call("buy"), /The control API has no operation buy\./);
  await assert.rejects(() => till.call("getApp"), /getApp needs bundleId\./);
  await assert.rejects(() => till.call("createApp", { bundleId: 5 }), /createApp: 400 bad_request: .*bundleId/);
  const program = { env: { ...process.env, TILL_BIN: "/nothing" } };
  await assert.rejects(() => promisify(execFile)(process.execPath, [OWNER], program), /TILL_BIN names \/nothing/);
  const wrong = { env: { ...process.env, OWNER_ARGUMENTS: "--no-such-flag" } };
  await assert.rejects(() => promisify(execFile)(process.execPath, [OWNER], wrong), /ended \(status 64\):\n.*no-such-flag/s);
  for (const [address, message] of [
    ["http://127.0.0.1:9", /TILL_CONTROL names: .* unset TILL_CONTROL/],
    ["127.0.0.1:9", /TILL_CONTROL is 127.* not a URL/],
  ]) {
    const dead = { env: { ...process.env, TILL_CONTROL: address } };
    await assert.rejects(() => promisify(execFile)(process.execPath, [OWNER], dead), message);
  }
});

test("a server of the test is the primary endpoint, and the receiver keeps its notifications", async () => {
  const { app, endpoint } = await useApp({ catalog });
  const names = async () => Object.fromEntries((await app.call("listEndpoints")).map(({ name, url }) => [name, url]));
  await app.sendNotificationsTo("http://127.0.0.1:9/apple");
  assert.deepEqual(await names(), { primary: "http://127.0.0.1:9/apple", test: endpoint.url });
  await app.customer("ann").buy("coins.10");
  await endpoint.expect("ONE_TIME_CHARGE");
  const { transactionId } = await app.customer("bob").buy("coins.10");
  const [{ deliveries }] = (await app.call("listNotifications", { limit: 1 })).notifications;
  assert.deepEqual(deliveries.map(({ endpoint, isDelivered }) => [endpoint, isDelivered]).toSorted(),
    [["primary", false], ["test", true]]);
  assert.ok(transactionId);
});

test("a failed expectation names the fault, which concerns this app only", async () => {
  const { app, endpoint } = await useApp({ catalog });
  const other = await useApp({ catalog });
  const rule = await app.call("addFault", { kind: "drop", limit: 1 });
  assert.deepEqual([rule.bundleId, rule.environment], [app.bundleId, "sandbox"]);
  await other.app.customer("ann").buy("coins.10");
  await other.endpoint.expect("ONE_TIME_CHARGE");
  await app.customer("ann").buy("coins.10");
  const message = /A fault rule hit ONE_TIME_CHARGE: Fault f\d+: drop/;
  await assert.rejects(() => endpoint.expect("ONE_TIME_CHARGE", undefined, { timeout: 1 }), message);
  await app.call("removeFaults");
  assert.ok(!(await till.call("listFaults")).some(({ id }) => id === rule.id));
});

test("a server that ends says so in one message", async () => {
  const { owner, server } = await startOwner({});
  process.kill(server, "SIGKILL");
  await until(() => !isRunning(server), "the server ended");
  let text = "";
  owner.stderr.on("data", (part) => { text += part; });
  owner.stdin.write("call\n");
  const [status] = await once(owner, "exit");
  assert.equal(status, 1);
  assert.match(text, /UnreachableError: The server has ended \(SIGKILL\)\. Its log ends with:/);
});

/** Starts a process that uses the library, and returns what it prints once it has an app. */
async function startOwner(environment) {
  const owner = spawn(process.execPath, [OWNER], {
    env: { ...process.env, ...environment }, stdio: ["pipe", "pipe", "pipe"],
  });
  const [line] = await once(owner.stdout, "data");
  return { owner, ...JSON.parse(line) };
}

for (const signal of ["SIGKILL", "SIGINT", undefined]) {
  test(`a server ends with its process: ${signal ?? "end of the program"}`, async () => {
    const { owner, control, server, dataDirectory, logFile } = await startOwner({});
    assert.ok(isRunning(server) && existsSync(dataDirectory) && await isAnswering(control));
    if (signal) owner.kill(signal);
    else owner.stdin.end("go on\n");
    await once(owner, "exit");
    await until(() => !isRunning(server), "the server ended");
    await until(() => !existsSync(dataDirectory) && !existsSync(logFile), "its files were removed");
  });
}

test("processes share a server, and a killed one leaves no app", async () => {
  const shared = { TILL_CONTROL: till.control.address };
  const [one, two] = await Promise.all([startOwner(shared), startOwner(shared)]);
  assert.deepEqual([one.control, two.control], [shared.TILL_CONTROL, shared.TILL_CONTROL]);
  assert.equal(one.logFile, undefined);
  const bundleIds = async () => (await till.call("listApps")).map(({ bundleId }) => bundleId);
  assert.ok((await bundleIds()).includes(one.bundleId) && (await bundleIds()).includes(two.bundleId));
  one.owner.kill("SIGKILL");
  await until(async () => !(await bundleIds()).includes(one.bundleId), "the app of the killed process was deleted");
  assert.ok((await bundleIds()).includes(two.bundleId));
  two.owner.stdin.end("go on\n");
  await once(two.owner, "exit");
  await until(async () => !(await bundleIds()).includes(two.bundleId), "the app of the process that ended was deleted");
  assert.ok(await isAnswering(shared.TILL_CONTROL));
});

test("the setup of a test runner starts one server for its processes", async () => {
  const { default: setup } = await import("till/testing/setup");
  const variables = ["TILL_CONTROL", "TILL_SANDBOX", "TILL_PRODUCTION"];
  const teardown = await setup();
  try {
    assert.deepEqual(variables.map((name) => process.env[name]), [till.control.address, till.sandbox, till.production]);
    const { owner, control } = await startOwner({});
    assert.equal(control, till.control.address);
    owner.kill("SIGKILL");
    await once(owner, "exit");
  } finally {
    for (const name of variables) delete process.env[name];
  }
  await teardown();
  await until(async () => !(await isAnswering(till.control.address)), "the server ended");
  till = await startTill();
  assert.ok(await isAnswering(till.control.address));
});

test("the types declare every class and its members, and nothing else", () => {
  const text = readFileSync(new URL("index.d.ts", import.meta.resolve("till/testing")), "utf8");
  for (const type of [App, Clock, ControlClient, Customer, Endpoint, Till]) {
    const [, body] = text.match(new RegExp(`export class ${type.name} [^{]*\\{\\n([^]*?)\\n\\}`));
    const members = [...body.matchAll(/^ {2}(\w+)[(<]/gm)].map(([, name]) => name);
    const declared = members.filter((name) => name !== "constructor");
    const methods = Object.entries(Object.getOwnPropertyDescriptors(type.prototype))
      .filter(([, { value }]) => typeof value === "function").map(([name]) => name);
    const internal = ["constructor", "open", "receive", "remember", "forget"];
    assert.deepEqual(declared.toSorted(), methods.filter((name) => !internal.includes(name)).toSorted(), type.name);
  }
});
