// A process that cleans up when its standard input closes: it ends the server that it has started, or deletes the apps
// that it knows of on a shared server. Each line of its input is an order in JSON.

import { spawn } from "node:child_process";
import { openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { ControlClient } from "./control.js";

const STOP_LIMIT_MS = 30_000;
const SECOND_PASS_MS = 500;

const apps = new Set();
let server;
let folder;
let control;

const orders = {
  serve({ command: [program, ...flags], folder: ofServer, logFile }) {
    folder = ofServer;
    const log = openSync(logFile, "w");
    server = spawn(program, flags, { stdio: ["ignore", log, log] });
    server.once("error", (error) => noteEnd(error.message));
    server.once("exit", (status, signal) => noteEnd(signal ?? `status ${status}`));
  },
  join({ address, token }) {
    control = new ControlClient(address, token);
  },
  remember(bundleId) {
    apps.add(bundleId);
  },
  forget(bundleId) {
    apps.delete(bundleId);
  },
};

let hasEnded = false;

/** Tells the tests that the server has ended, in a file that appears complete. */
function noteEnd(reason) {
  hasEnded = true;
  writeFileSync(join(folder, "ending"), reason);
  renameSync(join(folder, "ending"), join(folder, "ended"));
}

function removeFolder() {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

/** One failure must not keep the rest: an app may be gone already, and so may the server. */
async function deleteApp(bundleId) {
  await control.call("reset", { bundleId, everything: true }).then(() => apps.delete(bundleId), () => {});
}

async function cleanUp() {
  for (const bundleId of apps) await deleteApp(bundleId);
  if (apps.size > 0) {
    // The server may still have been creating an app when the process was killed.
    await sleep(SECOND_PASS_MS);
    for (const bundleId of apps) await deleteApp(bundleId);
  }
  if (!server) process.exit(0);
  if (hasEnded) removeFolder();
  server.removeAllListeners("exit");
  server.once("exit", removeFolder);
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
