// Makes testing/operations.js and testing/control.d.ts from the OpenAPI document of the control API, which is read from
// the standard input:
//
//   curl http://127.0.0.1:8890/openapi.json | node TestLibraries/node/generate.js
//
// Another folder can be given as an argument.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const NOTE = "// Made by generate.js from the OpenAPI document of the control API. Do not edit.\n";
const folder = process.argv[2] ?? fileURLToPath(new URL("testing", import.meta.url));
const document = JSON.parse(readFileSync(0, "utf8"));

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })));

function parameters({ parameters = [] }, place) {
  return parameters.filter((parameter) => parameter.in === place);
}

/** The TypeScript type of a schema. */
function type(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const open = schema["x-extensible-enum"];
  // `string & {}` keeps the completion of the known values in editors.
  if (open) return `${type({ enum: open })} | (${type({ type: schema.type })} & {})`;
  if (schema.type === "array") return schema.items ? `Array<${type(schema.items)}>` : "unknown[]";
  if (schema.type === "integer") return "number";
  if (schema.type !== "object") return schema.type ?? "unknown";
  if (schema.additionalProperties) return `Record<string, ${type(schema.additionalProperties)}>`;
  return schema.properties ? `{\n${properties(schema)}}` : "Record<string, unknown>";
}

function comment(text, indent) {
  const [first, ...more] = (text ?? "").replaceAll("*/", "* /").split("\n").filter(Boolean);
  if (first === undefined) return "";
  if (more.length === 0) return `${indent}/** ${first} */\n`;
  return [`${indent}/**`, ...[first, ...more].map((line) => `${indent} * ${line}`), `${indent} */`, ""].join("\n");
}

function properties({ properties, required = [] }) {
  return Object.entries(properties).map(([name, schema]) =>
    `${comment(schema.description, "  ")}  ${name}${required.includes(name) ? "" : "?"}: ${type(schema)};\n`).join("");
}

function component([name, schema]) {
  const isInterface = schema.type === "object" && schema.properties;
  const head = comment(schema.description, "");
  return `${head}export ${isInterface ? `interface ${name} ${type(schema)}` : `type ${name} = ${type(schema)};`}\n`;
}

function content(part) {
  return Object.values(part?.content ?? {})[0]?.schema;
}

function signature(operation) {
  const sent = [...parameters(operation, "path"), ...parameters(operation, "query")];
  const fields = sent.map(({ name, required, schema }) => `${name}${required ? "" : "?"}: ${type(schema)}`);
  const given = [fields.length ? `{ ${fields.join("; ")} }` : undefined];
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (body) given.push(type(body));
  const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
  const schemas = answers.map(([, answer]) => content(answer));
  const output = [...new Set(schemas.map((schema) => schema ? type(schema) : "undefined"))].join(" | ");
  const input = given.filter(Boolean).join(" & ") || "{}";
  return `${comment(operation.summary, "  ")}  ${operation.operationId}: { input: ${input}; output: ${output} };\n`;
}

/** Which of the app and its environment the body has. */
function ofApp(operation) {
  const reference = operation.requestBody?.content["application/json"]?.schema.$ref?.split("/").at(-1);
  const { properties = {} } = document.components.schemas[reference] ?? {};
  return ["bundleId", "environment"].filter((name) => name in properties);
}

const table = operations.map((operation) => {
  const query = parameters(operation, "query").map(({ name }) => name);
  const row = JSON.stringify([operation.method, operation.path, query, ofApp(operation)]).replaceAll(",", ", ");
  return `  ${operation.operationId}: ${row},\n`;
});
const { enum: known, "x-extensible-enum": types = known } = document.components.schemas.NotificationType;
writeFileSync(join(folder, "operations.js"), `${NOTE}
/** The method, path and query parameters of each operation, and whether its body has the app and the environment. */
export const operations = {\n${table.join("")}};

/** The notification types of the App Store. */
export const notificationTypes = [\n${types.map((name) => `  "${name}",\n`).join("")}];\n`);
writeFileSync(join(folder, "control.d.ts"), `${NOTE}
/** The values and the answer of each operation of \`ControlClient.call\`. */
export interface Operations {\n${operations.map(signature).join("")}}

${Object.entries(document.components.schemas).map(component).join("\n")}`);
