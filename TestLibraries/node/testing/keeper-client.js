import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("keeper.js", import.meta.url));

/**
 * Starts the keeper: a process that cleans up when its standard input closes. The system closes it at the end of this
 * process, also after a crash or SIGKILL.
 */
export function startKeeper(order) {
  // `detached`: Ctrl-C in a terminal must not end the keeper before it has cleaned up.
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ["pipe", "ignore", "ignore"], detached: true, env: withoutSettings(process.env), cwd: tmpdir(),
  });
  const keeper = new Keeper(child);
  keeper.tell(order);
  return keeper;
}

/** The environment without Till's own variables, which would change the settings of the server. */
function withoutSettings(environment) {
  const kept = ([name]) => !name.startsWith("TILL_") && name !== "NODE_OPTIONS";
  return Object.fromEntries(Object.entries(environment).filter(kept));
}

class Keeper {
  #child;
  #end;
  hasEnded = false;

  constructor(child) {
    this.#child = child;
    this.#end = new Promise((resolve) => {
      for (const event of ["exit", "error"]) child.once(event, resolve);
    }).then(() => { this.hasEnded = true; });
    child.stdin.on("error", () => {});
    // The test process ends without waiting for the keeper.
    child.unref();
    child.stdin.unref();
  }

  tell(order) {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  /** Lets the keeper clean up, and waits until it has done so. */
  async end() {
    this.#child.ref();
    this.#child.stdin.end();
    await this.#end;
  }
}
