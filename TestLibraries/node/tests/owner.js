// A test process: it starts Till, creates an app, prints what it has, and waits for a line.

import { once } from "node:events";

import { startTill, useApp } from "till/testing";

const till = await startTill({ arguments: process.env.OWNER_ARGUMENTS?.split(" ") });
const { app } = await useApp();
const { dataDirectory } = await till.call("getStatus");
const server = till.isShared ? undefined : Number(/process=(\d+)/.exec(till.log())[1]);
const facts = { bundleId: app.bundleId, control: till.control.address, dataDirectory, server, logFile: till.logFile };
process.stdout.write(JSON.stringify(facts));
const [order] = await once(process.stdin, "data");
if (String(order).startsWith("call")) await app.customer("ann").info();
