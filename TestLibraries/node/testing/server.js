import { accessSync, constants, existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { createApp } from "./app.js";
import { ControlClient, ControlError } from "./control.js";
import { startKeeper } from "./keeper-client.js";

// A busy machine needs long; a server that has not started by then never will.
const START_LIMIT_MS = 120_000;
// How long the note about an end of the server may come after the last connection was refused.
const END_LIMIT_MS = 5_000;
const PACKAGED = fileURLToPath(new URL("../bin/till", import.meta.url));

/** The server of this process, as a promise. */
let current;

/**
 * The server of this process: the one that the environment variable `TILL_CONTROL` names, otherwise a new one, which
 * keeps its data in memory and ends with the process. `arguments` are further arguments of `till serve`.
 */
export function startTill({ arguments: flags = [] } = {}) {
  current ??= (process.env.TILL_CONTROL ? joinRunning(process.env.TILL_CONTROL) : serve(flags)).catch((error) => {
    current = undefined;
    throw error;
  });
  return current;
}

/** A running server. */
export class Till {
  #keeper;

  constructor(control, addresses, keeper, logFile) {
    this.control = control;
    this.sandbox = addresses.sandbox;
    this.production = addresses.production;
    this.logFile = logFile;
    this.#keeper = keeper;
  }

  /** Whether other processes use the server, too. Then the apps of this process are deleted at its end. */
  get isShared() {
    return this.logFile === undefined;
  }

  /** Creates an app with its own bundle id, API key and catalog, and a frozen clock. */
  createApp(options) {
    return createApp(this, options);
  }

  /** Sends a request to the control API: see `ControlClient.call`. */
  call(operation, values, body) {
    return this.control.call(operation, values, body);
  }

  /** The last lines of the server's log; empty if the server is shared. */
  log(lines = 20) {
    return this.logFile && existsSync(this.logFile) ? tail(this.logFile, lines) : "";
  }

  /** Deletes the app at the end of the process, even if the process is killed, unless `forget` is called before. */
  remember(bundleId) {
    if (this.isShared) this.#keeper.tell({ remember: bundleId });
  }

  forget(bundleId) {
    if (this.isShared) this.#keeper.tell({ forget: bundleId });
  }

  /** Ends the server; if it is shared, deletes the apps of this process. The end of the process has the same effect. */
  async stop() {
    current = undefined;
    await this.#keeper.end();
  }
}

async function joinRunning(address) {
  const token = process.env.TILL_CONTROL_TOKEN || undefined;
  if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : "")) {
    throw new TypeError(`TILL_CONTROL is ${address}, which is not a URL such as http://127.0.0.1:8890.`);
  }
  const control = new ControlClient(address, token, (cause) =>
    `No answer from the server at ${address}, which TILL_CONTROL names: ${cause}. Start it, or unset TILL_CONTROL.`);
  const { ports } = await control.call("getStatus").catch((error) => {
    if (error instanceof ControlError) error.message += ` TILL_CONTROL is ${address}.`;
    throw error;
  });
  const at = (port) => Object.assign(new URL(control.address), { port }).origin;
  const addresses = {
    // In a container, the ports outside differ from those that the server knows.
    sandbox: process.env.TILL_SANDBOX || at(ports.sandbox),
    production: process.env.TILL_PRODUCTION || at(ports.production),
  };
  return new Till(control, addresses, startKeeper({ join: { address: control.address, token } }));
}

async function serve(flags) {
  const program = findTill();
  const folder = mkdtempSync(join(tmpdir(), "till-testing-"));
  const ready = join(folder, "ready.json");
  const logFile = join(folder, "log");
  const ports = ["--production-port", "0", "--sandbox-port", "0", "--control-port", "0"];
  const command = [program, "serve", "--ephemeral", ...ports, "--ready-file", ready, ...flags];
  const keeper = startKeeper({ serve: { command, folder, logFile } });
  const deadline = Date.now() + START_LIMIT_MS;
  while (!existsSync(ready)) {
    const end = join(folder, "ended");
    const hasEnded = keeper.hasEnded || existsSync(end);
    const failure = hasEnded ? "ended" : Date.now() > deadline ? "is not ready" : undefined;
    if (failure) {
      const reason = existsSync(end) ? ` (${readFileSync(end, "utf8")})` : "";
      const log = existsSync(logFile) ? tail(logFile, 20) : "";
      await keeper.end();
      throw new Error(`${command.join(" ")} ${failure}${reason}:\n${log}`);
    }
    await sleep(10);
  }
  const addresses = JSON.parse(readFileSync(ready, "utf8"));
  const control = new ControlClient(addresses.control, undefined, (cause) => explainEnd(folder, logFile, cause));
  return new Till(control, addresses, keeper, logFile);
}

/** Why a server of this process does not answer. */
async function explainEnd(folder, logFile, cause) {
  const ended = join(folder, "ended");
  const deadline = Date.now() + END_LIMIT_MS;
  // The connection may be refused before the keeper has noticed the end.
  while (existsSync(folder) && !existsSync(ended) && Date.now() < deadline) await sleep(20);
  if (!existsSync(folder)) return "The server was stopped before the tests ended.";
  if (!existsSync(ended)) return `The server does not answer: ${cause}.`;
  return `The server has ended (${readFileSync(ended, "utf8")}). Its log ends with:\n${tail(logFile, 15)}`;
}

/** The program: `TILL_BIN`, the one in this package, or the one on the path. */
function findTill() {
  if (process.env.TILL_BIN) {
    // The keeper runs in another folder.
    if (isProgram(process.env.TILL_BIN)) return resolve(process.env.TILL_BIN);
    throw new Error(`TILL_BIN names ${process.env.TILL_BIN}, which is not a program.`);
  }
  const onPath = (process.env.PATH ?? "").split(delimiter).filter(Boolean)
    .map((folder) => resolve(folder, "till"));
  const found = [PACKAGED, ...onPath].find(isProgram);
  if (!found) throw new Error("till was not found: set TILL_BIN to the program, or add its folder to PATH.");
  return found;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function tail(file, lines) {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
}
