// Tests of a backend against a Till server of their own. docs/testing/node.md describes this module.

export { App, useApp } from "./app.js";
export { Clock } from "./clock.js";
export { ControlClient, ControlError, UnreachableError } from "./control.js";
export { Customer } from "./customer.js";
export { Endpoint } from "./endpoint.js";
export { SignedDataError, verifySignedData } from "./signed-data.js";
export { startTill, Till } from "./server.js";
