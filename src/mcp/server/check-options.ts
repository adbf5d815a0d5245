import { isFields, isObject } from "../../is.js";
import { invalidMcpValue, unknownMcpOption } from "../errors.js";
import type { MCPServerOptions } from "./options.js";

const known: Readonly<Record<keyof MCPServerOptions, true>> = {
  ...{ name: true, version: true, id: true, description: true, instructions: true },
  ...{ tools: true, agents: true, workflows: true, graphs: true, resources: true, prompts: true, completions: true },
  ...{ store: true, requestStateKey: true, requestStateTtlMs: true, maxPending: true, legacy: true },
  ...{ auth: true, allowedHosts: true, allowedOrigins: true, maxBodyBytes: true },
  ...{ toolsNode: true, runtime: true, callbacks: true, requestContext: true, logger: true },
  ...{ repository: true, releaseDate: true, isLatest: true, packageCanonical: true, packages: true, remotes: true },
};
const names = Object.keys(known);

const where = "MCPServer";

/** For plain JavaScript, and for what types cannot say. */
export function checkServerOptions(options: unknown): void {
  if (!isFields(options)) throw invalidMcpValue("The options of MCPServer", "an object", options);
  for (const name of Object.keys(options)) if (!names.includes(name)) throw unknownMcpOption(where, name, names);
  for (const name of ["name", "version"]) {
    const given = options[name];
    if (typeof given !== "string" || given === "")
      throw invalidMcpValue(`${name} of MCPServer`, "a text that is not empty", given);
  }
  const { legacy, requestStateKey, requestStateTtlMs, maxPending, maxBodyBytes } = options;
  if (legacy !== undefined && !["sessions", "stateless", "off"].includes(String(legacy))) {
    throw invalidMcpValue("legacy of MCPServer", '"sessions", "stateless" or "off"', legacy);
  }
  if (requestStateKey !== undefined && !isLongEnough(requestStateKey)) {
    throw invalidMcpValue("requestStateKey of MCPServer", "at least 32 bytes", typeof requestStateKey);
  }
  for (const [name, given] of Object.entries({ requestStateTtlMs, maxPending, maxBodyBytes })) {
    if (
      given !== undefined &&
      !(typeof given === "number" && given > 0 && (given === Infinity || Number.isInteger(given)))
    ) {
      throw invalidMcpValue(`${name} of MCPServer`, "a whole number above 0", given);
    }
  }
  for (const name of ["allowedHosts", "allowedOrigins"]) checkNames(name, options[name]);
  for (const [rule, { options: named, holds }] of Object.entries(rules)) {
    for (const name of named) {
      const given = options[name];
      if (given !== undefined && !holds(given)) throw invalidMcpValue(`${name} of MCPServer`, rule, given);
    }
  }
  checkParts(options);
}

interface Rule {
  readonly options: readonly (keyof MCPServerOptions)[];
  readonly holds: (given: unknown) => boolean;
}

const isFunction = (given: unknown): boolean => typeof given === "function";
const has =
  (...methods: readonly string[]) =>
  (given: unknown) =>
    isObject(given) && methods.every((method) => isFunction(Reflect.get(given, method)));

const rules: Readonly<Record<string, Rule>> = {
  "a text": {
    options: ["id", "description", "instructions", "packageCanonical"],
    holds: (given) => typeof given === "string",
  },
  "true or false": { options: ["isLatest"], holds: (given) => typeof given === "boolean" },
  "a date of ISO 8601": {
    options: ["releaseDate"],
    holds: (given) => typeof given === "string" && /^\d{4}-\d\d/.test(given) && !Number.isNaN(Date.parse(given)),
  },
  "a function": { options: ["auth", "completions"], holds: isFunction },
  "an object": {
    options: ["agents", "workflows", "graphs", "prompts", "resources", "toolsNode", "runtime", "repository"],
    holds: isFields,
  },
  "a list or a record of tools": { options: ["tools"], holds: isObject },
  "a list": { options: ["callbacks", "packages", "remotes"], holds: Array.isArray },
  "a record of values, or a function that gives one": {
    options: ["requestContext"],
    holds: (given) => isFunction(given) || isFields(given),
  },
  "a checkpoint store": { options: ["store"], holds: has("get", "delete", "list") },
  "an object with a function warn": { options: ["logger"], holds: has("warn") },
};

/** What is inside the options. Descriptions are checked where tools are made of agents, workflows and graphs. */
function checkParts({ resources, prompts, agents, workflows, graphs }: Readonly<Record<string, unknown>>): void {
  if (resources !== undefined && !has("listResources", "getResourceContent")(resources)) {
    throw invalidMcpValue("resources of MCPServer", "an object with listResources and getResourceContent", resources);
  }
  for (const [name, prompt] of entriesOf(prompts)) {
    const template = isFields(prompt) ? prompt.template : undefined;
    if (isFunction(template) || has("format")(template)) continue;
    throw invalidMcpValue(
      `prompts["${name}"] of MCPServer`,
      "an object with a template, or a function as template",
      prompt,
    );
  }
  for (const [kind, parts] of Object.entries({ agents, workflows, graphs })) {
    for (const [key, part] of entriesOf(parts)) {
      if (!/^[A-Za-z0-9_.-]+$/.test(key)) {
        throw invalidMcpValue(
          `The keys of ${kind} of MCPServer`,
          'letters, digits, "_", "-" and ".": they are parts of names',
          key,
        );
      }
      if (!isObject(part)) throw invalidMcpValue(`${kind}["${key}"] of MCPServer`, "an object", part);
    }
  }
  for (const [kind, parts, method] of [
    ["agents", agents, "generate"],
    ["workflows", workflows, "createRun"],
  ] as const) {
    for (const [key, part] of entriesOf(parts)) {
      if (!has(method)(part)) throw invalidMcpValue(`${kind}["${key}"] of MCPServer`, `an object with ${method}`, part);
    }
  }
  for (const [key, graph] of entriesOf(graphs)) {
    if (!isFields(graph) || graph.inputSchema === undefined) {
      throw invalidMcpValue(
        `graphs["${key}"] of MCPServer`,
        "an object with runnable, description and inputSchema",
        graph,
      );
    }
  }
}

function entriesOf(given: unknown): [string, unknown][] {
  return isFields(given) ? Object.entries(given) : [];
}

function checkNames(name: string, given: unknown): void {
  if (given === undefined || (Array.isArray(given) && given.every((item) => typeof item === "string"))) return;
  throw invalidMcpValue(`${name} of MCPServer`, "a list of names", given);
}

function isLongEnough(key: unknown): boolean {
  if (typeof key === "string") return new TextEncoder().encode(key).byteLength >= 32;
  return key instanceof Uint8Array && key.byteLength >= 32;
}
