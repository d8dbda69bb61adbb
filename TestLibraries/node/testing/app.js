import { randomUUID, sign, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";

import { Clock, milliseconds } from "./clock.js";
import { Customer } from "./customer.js";
import { openEndpoint } from "./endpoint.js";
import { operations } from "./operations.js";
import { startTill } from "./server.js";
import { verifySignedData } from "./signed-data.js";

/** Apple's names of the environments, which signed data contains. */
const ENVIRONMENTS = { sandbox: "Sandbox", production: "Production" };

const APP_OPTIONS = ["catalog", "environment", "bundleId", "start"];

/**
 * Creates an app on the server of this process, with an endpoint: everything that a test needs. `catalog` is the path
 * or URL of a `.storekit` file; `endpoint` has the options of `App.listen`.
 */
export async function useApp(options = {}) {
  checkOptions(options, [...APP_OPTIONS, "endpoint"], "useApp");
  const { endpoint, ...ofApp } = options;
  const till = await startTill();
  const app = await createApp(till, ofApp);
  return { till, app, clock: app.clock, endpoint: await app.listen(endpoint) };
}

/** The first name of an endpoint that is not used: `primary`, `test`, `test-2` and so on. */
function freeName(used) {
  const isFree = (name) => used.every((found) => found.name !== name);
  if (isFree("primary")) return "primary";
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? "test" : `test-${number}`;
    if (isFree(name)) return name;
  }
}

/** Refuses options with other names, so that a wrong name does not pass unnoticed. */
export function checkOptions(options, names, what) {
  const unknown = Object.keys(options).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new TypeError(`${what} has no option ${unknown.join(", ")}. Options: ${names.join(", ")}.`);
}

export async function createApp(till, options = {}) {
  checkOptions(options, APP_OPTIONS, "createApp");
  const { catalog, environment = "sandbox" } = options;
  if (!ENVIRONMENTS[environment]) {
    throw new TypeError(`environment: expected sandbox or production, not ${environment}.`);
  }
  const start = options.start === undefined ? undefined : milliseconds(options.start, "start");
  const file = catalog && await readFile(catalog, "utf8");
  // A server with several teams wants to know which one; a server without a team creates one for the first app.
  const [team] = await till.call("listTeams");
  const bundleId = options.bundleId ?? `com.example.test-${randomUUID().slice(0, 13)}`;
  // Before the app exists, because this process may be killed at any time. An app with a given id may not be ours.
  if (options.bundleId === undefined) till.remember(bundleId);
  const created = await till.call("createApp", { bundleId, issuerId: team?.issuerId });
  till.remember(bundleId);
  // The key is deleted with the app.
  const key = await till.call("createKey", { name: bundleId, issuerId: created.issuerId, bundleId });
  const app = new App(till, environment, created, key, (await till.call("getAuthority")).rootCertificate,
    start === undefined ? undefined : "tests");
  if (file) await app.call("importStoreKitFile", {}, file);
  // The environment's clock cannot go back; a clock of customers can begin at any time.
  if (app.clock.name) await app.call("createClock", { name: app.clock.name, mode: "frozen", at: start });
  // Whatever the profile of a running server is, time passes as on the calendar.
  await app.call("updateSettings", { rate: "calendar" });
  if (!app.clock.name) {
    // A whole second, as in most tests and in many backends.
    const { now } = await app.call("setClock", { mode: "frozen" });
    await app.call("setClock", { mode: "frozen", at: Math.ceil(now / 1000) * 1000 });
  }
  return app;
}

/** An app in one environment, with an API key. Its clock is frozen, so that time passes only when a test says so. */
export class App {
  #till;
  // Private, so that a printed app does not show it.
  #privateKey;
  #endpoints = new Set();
  #isDeleted = false;

  constructor(till, environment, { bundleId, appAppleId }, { keyId, issuerId, privateKey }, rootCertificate, clock) {
    this.#till = till;
    this.bundleId = bundleId;
    this.appAppleId = appAppleId;
    this.environment = environment;
    this.address = till[environment];
    this.keyId = keyId;
    this.issuerId = issuerId;
    this.#privateKey = privateKey;
    this.rootCertificate = rootCertificate;
    this.rootCertificates = [Buffer.from(new X509Certificate(rootCertificate).raw)];
    this.clock = new Clock(this, clock);
  }

  /** The private key of the API key, as PEM. */
  get privateKey() {
    return this.#privateKey;
  }

  /** The environment as signed data and Apple's libraries name it. */
  get appleEnvironment() {
    return ENVIRONMENTS[this.environment];
  }

  /**
   * Calls an operation of the control API for this app and environment, if it has them in its path, query or body: see
   * `ControlClient.call`.
   */
  call(operation, values, body) {
    const [, path = "", query = [], inBody = []] = operations[operation] ?? [];
    const own = ["bundleId", "environment"].filter((name) =>
      path.includes(`{${name}}`) || query.includes(name) || inBody.includes(name));
    const ofApp = Object.fromEntries(own.map((name) => [name, this[name]]));
    return this.#till.call(operation, { ...ofApp, ...values }, body);
  }

  /**
   * The customer with this name. The first operation creates the customer, on the app's clock, with the options that
   * are given: `storefront`, `platform`, `downloadsApp`.
   */
  customer(name, options = {}) {
    checkOptions(options, ["storefront", "platform", "downloadsApp"], "customer");
    return new Customer(this, name, options);
  }

  /**
   * A receiver of this app's notifications on a free port of 127.0.0.1. It is the endpoint `primary`, or `test` if
   * there is a primary one.
   */
  async listen(options = {}) {
    checkOptions(options, ["host", "hostname", "port", "name", "types"], "listen");
    const name = options.name ?? freeName(await this.call("listEndpoints"));
    const endpoint = await openEndpoint(this, { ...options, name });
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  /**
   * Lets Till also send the notifications of this app to a server of yours. It becomes the endpoint `primary`, which
   * Apple's notification history is about; a receiver that has this name so far becomes the endpoint `test`.
   */
  async sendNotificationsTo(url, { name = "primary", types } = {}) {
    const used = await this.call("listEndpoints");
    const replaced = used.find((found) => found.name === "primary" && this.#isReceiver(found));
    if (name === "primary" && replaced) {
      const { url: receiver, types: itsTypes } = replaced;
      await this.call("setEndpoint", { endpoint: freeName(used), url: receiver, types: itsTypes });
    }
    return this.call("setEndpoint", { endpoint: name, url: String(url), types });
  }

  #isReceiver({ url }) {
    return [...this.#endpoints].some((endpoint) => endpoint.url === url);
  }

  /** A bearer token for the App Store Server API, valid for five minutes. */
  token() {
    const now = Math.floor(Date.now() / 1000);
    const header = { alg: "ES256", kid: this.keyId, typ: "JWT" };
    const claims = { iss: this.issuerId, iat: now, exp: now + 300, aud: "appstoreconnect-v1", bid: this.bundleId };
    const content = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const signature = sign("sha256", Buffer.from(content), { key: this.#privateKey, dsaEncoding: "ieee-p1363" });
    return `${content}.${signature.toString("base64url")}`;
  }

  /** Sends a request to the App Store Server API, and returns its answer. Signed parts are not verified. */
  async request(path, { method = "GET", body } = {}) {
    const headers = { Authorization: `Bearer ${this.token()}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(this.address + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) {
      const id = answer.headers.get("X-Request-ID");
      const reason = await this.#till.call("explainRequest", { requestId: id }).catch(() => undefined);
      throw new Error(`${method} ${path}: ${answer.status} ${text} ${reason?.explanation ?? ""}`.trimEnd());
    }
    return text ? JSON.parse(text) : undefined;
  }

  /** Verifies signed data as Apple's libraries do, and returns its payload: see `verifySignedData`. */
  verify(signedData, kind) {
    const { rootCertificates, bundleId, appAppleId, appleEnvironment: environment } = this;
    return verifySignedData(signedData, { rootCertificates, bundleId, appAppleId, environment, kind });
  }

  /** Saves the state of this app. `restore()` brings it back, with the time of its clock, and empties its endpoints. */
  async snapshot() {
    const name = `test-${randomUUID()}`;
    await this.#till.call("saveSnapshot", { name, bundleId: this.bundleId });
    return {
      name,
      restore: async () => {
        await this.#till.call("restoreSnapshot", { name });
        for (const endpoint of this.#endpoints) endpoint.clear();
      },
      delete: () => this.#till.call("removeSnapshot", { name }),
    };
  }

  /** Deletes the app with its data and its API key, and closes its endpoints. */
  async delete() {
    if (this.#isDeleted) return;
    this.#isDeleted = true;
    for (const endpoint of this.#endpoints) await endpoint.close();
    await this.#till.call("reset", { bundleId: this.bundleId, everything: true });
    this.#till.forget(this.bundleId);
  }
}
