import { operations } from "./operations.js";

/** A request that the control API refused. */
export class ControlError extends Error {
  constructor(operation, status, answer) {
    super(`${operation}: ${status} ${answer?.code ?? ""}: ${answer?.message ?? "The answer has no message."}`);
    this.name = "ControlError";
    this.status = status;
    this.code = answer?.code;
    this.faults = answer?.faults;
  }
}

/** A client of the control API. The types in control.d.ts are made from the server's OpenAPI document. */
export class ControlClient {
  #token;

  constructor(address, token) {
    this.address = address.replace(/\/+$/, "");
    this.#token = token;
  }

  /**
   * Calls an operation by its `operationId`. `values` has the parameters of the path and of the query, and the keys of
   * the body, under their names. `body` replaces the keys of the body by a text, such as a file.
   */
  async call(operation, values = {}, body = undefined) {
    const [method, template, query] = operations[operation] ?? [];
    if (!method) throw new TypeError(`The control API has no operation ${operation}.`);
    const rest = { ...values };
    const path = template.replace(/\{(\w+)\}/g, (_, name) => {
      if (rest[name] === undefined) throw new TypeError(`${operation} needs ${name}.`);
      const value = encodeURIComponent(rest[name]);
      delete rest[name];
      return value;
    });
    const url = new URL(this.address + path);
    for (const name of query) {
      for (const value of rest[name] === undefined ? [] : [rest[name]].flat()) url.searchParams.append(name, value);
      delete rest[name];
    }
    const isEmpty = Object.values(rest).every((value) => value === undefined);
    return this.#send(operation, method, url, body ?? (isEmpty ? undefined : JSON.stringify(rest)));
  }

  async #send(operation, method, url, body) {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const answer = await fetch(url, { method, headers, body });
    const text = await answer.text();
    const isJSON = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
    const content = isJSON && text ? JSON.parse(text) : text || undefined;
    const refusal = isJSON ? content : { message: text.slice(0, 500) };
    if (!answer.ok) throw new ControlError(operation, answer.status, refusal);
    return content;
  }
}
