import { createServer } from "node:http";

import { notificationTypes } from "./operations.js";

const PATH = "/notifications";
// Operations wait for their deliveries, so a notification that has not arrived by then never will.
const TIMEOUT_MS = 10_000;
// A notification of the App Store is much smaller.
const MAX_BODY = 1 << 20;

/** Opens a receiver, and sets it as an endpoint of the app. */
export async function openEndpoint(app, options = {}) {
  const { host = "127.0.0.1", hostname = host, port = 0, name = "primary", types } = options;
  const endpoint = new Endpoint(app);
  const server = createServer((request, response) => endpoint.receive(request, response));
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  // The test process ends without waiting for the receiver, or for connections that Till keeps open.
  server.unref();
  server.on("connection", (socket) => socket.unref());
  endpoint.open(server, `http://${hostname}:${server.address().port}${PATH}`);
  await app.call("setEndpoint", { endpoint: name, url: endpoint.url, types });
  return endpoint;
}

/** A receiver of notifications, which verifies and collects them. */
export class Endpoint {
  #app;
  #server;
  #waiting = new Set();
  #taken = new Set();
  #failures = [];
  #attempts = new Map();

  /** The verified notifications, oldest first. A notification that is delivered again counts once. */
  received = [];
  /** The deliveries that were not accepted, each with `status`, `reason` and `body`. */
  refused = [];

  constructor(app) {
    this.#app = app;
  }

  open(server, url) {
    this.#server = server;
    this.url = url;
  }

  /**
   * The next notification of this type, and of this subtype if it is given, that no call of `expect` has returned yet.
   * With the subtype `null`, only one without a subtype.
   * Waits for it, and fails after `timeout` milliseconds with a list of what arrived instead.
   */
  async expect(type, subtype, { timeout = TIMEOUT_MS } = {}) {
    const [wantedType, wantedSubtype = subtype === null ? "" : subtype] = type.split("/");
    // The App Store sends no such type, so only what has arrived already can be it.
    const limit = notificationTypes.includes(wantedType) ? timeout : 0;
    const take = () => {
      const found = this.received.find((notification) =>
        !this.#taken.has(notification) && notification.notificationType === wantedType &&
        (wantedSubtype === undefined || (notification.subtype ?? "") === wantedSubtype));
      if (found) this.#taken.add(found);
      return found;
    };
    return take() ?? new Promise((resolve, reject) => {
      const timer = setTimeout(async () => {
        this.#waiting.delete(look);
        reject(new Error(await this.#missing(wantedType, wantedSubtype, limit)));
      }, limit);
      const look = () => {
        const found = take();
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
    });
  }

  /** Fails if a notification has arrived that no call of `expect` has returned. */
  expectNothingElse() {
    const rest = this.received.filter((notification) => !this.#taken.has(notification));
    if (rest.length) throw new Error(`Arrived, and not expected: ${rest.map(label).join(", ")}.`);
  }

  /** How many deliveries of a notification arrived, with those that `fail` refused. */
  attempts({ notificationUUID }) {
    return this.#attempts.get(notificationUUID) ?? 0;
  }

  /**
   * Answers the next deliveries with this status, but accepts again what was accepted before. Till repeats them later
   * on the app's clock.
   */
  fail(status = 500, times = 1) {
    this.#failures.push(...Array(times).fill(status));
  }

  /** Forgets what has arrived, and the failures that were asked for. */
  clear() {
    this.received.length = 0;
    this.refused.length = 0;
    this.#failures.length = 0;
    this.#taken.clear();
    this.#attempts.clear();
  }

  /** Stops listening. Till keeps the address until another one is set, or the app is deleted. */
  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => { this.#server.close(resolve); });
  }

  async receive(request, response) {
    const body = await readBody(request).catch(() => undefined);
    const status = body === undefined ? 413 : this.#accept(body);
    response.writeHead(status, { "Content-Length": 0 }).end();
    if (status === 200) for (const look of [...this.#waiting]) look();
  }

  #accept(body) {
    try {
      const notification = this.#verified(JSON.parse(body).signedPayload);
      const { notificationUUID } = notification;
      this.#attempts.set(notificationUUID, this.attempts(notification) + 1);
      // Till repeats an accepted delivery if it could not record the answer. This must not use up a failure.
      if (this.received.some((known) => known.notificationUUID === notificationUUID)) return 200;
      const status = this.#failures.shift() ?? 200;
      if (status === 200) this.received.push(notification);
      else this.refused.push({ status, reason: `fail(${status})`, body, notification });
      return status;
    } catch (error) {
      this.refused.push({ status: 400, reason: error.message, body });
      return 400;
    }
  }

  #verified(signedPayload) {
    const payload = this.#app.verify(signedPayload, "notification");
    const { signedTransactionInfo, signedRenewalInfo } = payload.data ?? {};
    return {
      ...payload,
      transaction: signedTransactionInfo && this.#app.verify(signedTransactionInfo, "transaction"),
      renewalInfo: signedRenewalInfo && this.#app.verify(signedRenewalInfo, "renewalInfo"),
      signedPayload,
    };
  }

  /** The faults that hit notifications of a type, such as one that dropped it. */
  async #faults(type) {
    const { entries } = await this.#app.call("listRequests", { path: type, limit: 20 }).catch(() => ({ entries: [] }));
    return entries.filter(({ path, explanation }) => path === type && explanation.startsWith("Fault ")).slice(0, 5)
      .map(({ explanation }) => `A fault rule hit ${type}: ${explanation}`);
  }

  async #missing(type, subtype, timeout) {
    const wanted = subtype ? `${type}/${subtype}` : type;
    const arrived = this.received.map((notification) =>
      `  ${label(notification)}${this.#taken.has(notification) ? " (already returned by expect)" : ""}`);
    const refused = this.refused.map(({ status, reason, notification }) =>
      `  ${notification ? label(notification) : "a delivery"}, answered with ${status}: ${reason}`);
    return [
      notificationTypes.includes(type)
        ? `No ${wanted} arrived within ${timeout / 1000} s.`
        : `No ${wanted} arrived: the App Store has no notification type ${type}.`,
      ...await this.#faults(type),
      arrived.length ? "Arrived:" : "Nothing arrived.", ...arrived, ...(refused.length ? ["Refused:"] : []), ...refused,
    ].join("\n");
  }
}

function label({ notificationType, subtype }) {
  return subtype ? `${notificationType}/${subtype}` : notificationType;
}

async function readBody(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY) throw new Error("too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
