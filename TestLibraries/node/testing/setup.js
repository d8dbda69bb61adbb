// One server for all test processes: the `globalSetup` of Jest and Vitest, and the `--test-global-setup` of Node 24.

import { startTill } from "./server.js";

let till;

export async function globalSetup() {
  till = await startTill();
  // The processes that the test runner starts have these variables, so they use this server.
  if (!till.isShared) {
    process.env.TILL_CONTROL = till.control.address;
    process.env.TILL_SANDBOX = till.sandbox;
    process.env.TILL_PRODUCTION = till.production;
  }
}

export async function globalTeardown() {
  await till?.stop();
}

export default async function setup() {
  await globalSetup();
  return globalTeardown;
}
