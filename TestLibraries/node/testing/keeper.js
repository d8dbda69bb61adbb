// A process that cleans up when its standard input closes: it ends the server that it has started, or deletes the apps
// that it knows of on a shared server. Each line of its input is an order in JSON.

import { spawn } from "node:child_process";
import { openSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";

import { ControlClient } from "./control.js";

const STOP_LIMIT_MS = 30_000;

const apps = new Map();
let server;
let folder;
let control;

const orders = {
  serve({ command: [program, ...flags], folder: ofServer, logFile }) {
    folder = ofServer;
    const log = openSync(logFile, "w");
    server = spawn(program, flags, { stdio: ["ignore", log, log] });
    server.once("error", () => process.exit(1));
    // Without its server, the keeper has nothing to do, and its end tells the tests.
    server.once("exit", () => process.exit(1));
  },
  join({ address, token }) {
    control = new ControlClient(address, token);
  },
  remember({ bundleId, keyId }) {
    apps.set(bundleId, keyId);
  },
  forget(bundleId) {
    apps.delete(bundleId);
  },
};

async function deleteApp(bundleId, keyId) {
  // One failure must not keep the rest: an app may be gone already, and so may the server.
  await control.call("revokeKey", { keyId }).catch(() => {});
  await control.call("reset", { bundleId, everything: true }).catch(() => {});
}

async function cleanUp() {
  for (const [bundleId, keyId] of apps) await deleteApp(bundleId, keyId);
  if (!server) process.exit(0);
  server.removeAllListeners("exit");
  server.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
  server.kill("SIGTERM");
  setTimeout(() => server.kill("SIGKILL"), STOP_LIMIT_MS);
}

let isEnding = false;
function end() {
  if (!isEnding) void cleanUp();
  isEnding = true;
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, end);
createInterface({ input: process.stdin })
  .on("line", (line) => {
    for (const [name, value] of Object.entries(JSON.parse(line))) orders[name](value);
  })
  .on("close", end);
