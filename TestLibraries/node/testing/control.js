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

/** The server does not answer. */
export class UnreachableError extends Error {
  name = "UnreachableError";
}

/** A client of the control API. The types in control.d.ts are made from the server's OpenAPI document. */
export class ControlClient {
  #token;
  #explain;

  /** `explain` returns, or promises, the reason why the server does not answer, for the message of an error. */
  constructor(address, token, explain = (cause) => `The control API at ${address} does not answer: ${cause}.`) {
    this.address = address.replace(/\/+$/, "");
    this.#token = token;
    this.#explain = explain;
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
    let answer, text;
    try {
      answer = await fetch(url, { method, headers, body });
      text = await answer.text();
    } catch (error) {
      throw new UnreachableError(await this.#explain(error.cause?.message || error.cause?.code || error.message));
    }
    const isJSON = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
    const content = isJSON && text ? JSON.parse(text) : text || undefined;
    const refusal = isJSON ? content : { message: text.slice(0, 500) };
    if (!answer.ok) throw new ControlError(operation, answer.status, refusal);
    return content;
  }
}
