// node run-tests.js: runs node --test with one server for all files. Further arguments are those of node.
import { spawn } from "node:child_process";
import setup from "till/testing/setup";

const teardown = await setup();
const run = spawn(process.execPath, ["--test", ...process.argv.slice(2)], { stdio: "inherit" });
run.once("exit", async (status) => { await teardown(); process.exitCode = status ?? 1; });
