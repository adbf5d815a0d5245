import { checkOptions } from "../../check-options.js";
import { type Fields, isFields, isObject } from "../../is.js";
import { kindOf } from "../../wording.js";
import { invalidMcpOption, invalidMcpValue } from "../errors.js";
import type { MCPServerOptions } from "./options.js";

const optionNames: Readonly<Record<keyof MCPServerOptions, true>> = {
  ...{ name: true, version: true, id: true, description: true, instructions: true },
  ...{ tools: true, agents: true, workflows: true, graphs: true, resources: true, prompts: true, completions: true },
  ...{ store: true, requestStateKey: true, requestStateTtlMs: true, maxPending: true, legacy: true },
  ...{ auth: true, allowedHosts: true, allowedOrigins: true, maxBodyBytes: true },
  ...{ toolsNode: true, runtime: true, callbacks: true, requestContext: true, logger: true },
  ...{ repository: true, releaseDate: true, isLatest: true, packageCanonical: true, packages: true, remotes: true },
};
const names = Object.keys(optionNames);

/** Throws if an option is unknown or invalid: for plain JavaScript, and for rules that types cannot express. */
export function checkServerOptions(given: MCPServerOptions): void {
  checkOptions("MCPServer", given, names);
  const options: Fields = { ...given };
  for (const name of ["name", "version"]) {
    const given = options[name];
    if (typeof given !== "string" || given === "")
      throw invalidMcpValue(`${name} of MCPServer`, "a non-empty string", given);
  }
  const { legacy, requestStateKey, requestStateTtlMs, maxPending, maxBodyBytes } = options;
  if (legacy !== undefined && !["sessions", "stateless", "off"].includes(String(legacy))) {
    throw invalidMcpValue("legacy of MCPServer", '"sessions", "stateless" or "off"', legacy);
  }
  if (requestStateKey !== undefined && !isLongEnough(requestStateKey)) {
    throw invalidMcpOption(
      `requestStateKey of MCPServer must be a string or a Uint8Array of at least 32 bytes (got ${kindOf(requestStateKey)}).`,
    );
  }
  for (const [name, given] of Object.entries({ requestStateTtlMs, maxPending, maxBodyBytes })) {
    if (
      given !== undefined &&
      !(typeof given === "number" && given > 0 && (given === Infinity || Number.isInteger(given)))
    ) {
      throw invalidMcpValue(`${name} of MCPServer`, "a whole number above 0, or Infinity", given);
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
  "a string": {
    options: ["id", "description", "instructions", "packageCanonical"],
    holds: (given) => typeof given === "string",
  },
  "true or false": { options: ["isLatest"], holds: (given) => typeof given === "boolean" },
  "an ISO 8601 date": {
    options: ["releaseDate"],
    holds: (given) => typeof given === "string" && /^\d{4}-\d\d/.test(given) && !Number.isNaN(Date.parse(given)),
  },
  "a function": { options: ["auth", "completions"], holds: isFunction },
  "an object": {
    options: ["agents", "workflows", "graphs", "prompts", "resources", "toolsNode", "runtime", "repository"],
    holds: isFields,
  },
  "an array or a record of tools": { options: ["tools"], holds: isObject },
  "an array": { options: ["callbacks", "packages", "remotes"], holds: Array.isArray },
  "a record of values, or a function that returns one": {
    options: ["requestContext"],
    holds: (given) => isFunction(given) || isFields(given),
  },
  "a checkpoint store": { options: ["store"], holds: has("get", "delete", "list") },
  "an object with a warn method": { options: ["logger"], holds: has("warn") },
};

/** Checks the entries of the options. Descriptions are checked where agents, workflows and graphs become tools. */
function checkParts({ resources, prompts, agents, workflows, graphs }: Readonly<Record<string, unknown>>): void {
  if (resources !== undefined && !has("listResources", "getResourceContent")(resources)) {
    throw invalidMcpValue(
      "resources of MCPServer",
      "an object with the methods listResources and getResourceContent",
      resources,
    );
  }
  if (isFields(resources) && resources.resourceTemplates !== undefined && !isFunction(resources.resourceTemplates))
    throw invalidMcpValue("resources.resourceTemplates of MCPServer", "a function", resources.resourceTemplates);
  for (const [name, prompt] of entriesOf(prompts)) {
    const template = isFields(prompt) ? prompt.template : undefined;
    if (!isFunction(template) && !has("format")(template)) {
      throw invalidMcpValue(
        `prompts["${name}"] of MCPServer`,
        "an object whose template is a Template or a function",
        prompt,
      );
    }
    checkPrompt(`prompts["${name}"] of MCPServer`, prompt);
  }
  for (const [kind, parts] of Object.entries({ agents, workflows, graphs })) {
    for (const [key, part] of entriesOf(parts)) {
      if (!/^[A-Za-z0-9_.-]+$/.test(key)) {
        throw invalidMcpValue(
          `The keys of ${kind} of MCPServer`,
          'made of letters, digits, "_", "-" and ".", because they become parts of tool names',
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
      if (!has(method)(part))
        throw invalidMcpValue(`${kind}["${key}"] of MCPServer`, `an object with the method ${method}`, part);
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

function checkPrompt(where: string, prompt: unknown): void {
  const { title, description, arguments: args = [] } = isFields(prompt) ? prompt : {};
  for (const [field, given] of Object.entries({ title, description })) {
    if (given !== undefined && typeof given !== "string")
      throw invalidMcpValue(`${field} of ${where}`, "a string", given);
  }
  const isArgument = (given: unknown) =>
    isFields(given) &&
    typeof given.name === "string" &&
    (given.description === undefined || typeof given.description === "string") &&
    (given.required === undefined || typeof given.required === "boolean");
  if (!Array.isArray(args) || !args.every(isArgument))
    throw invalidMcpValue(`arguments of ${where}`, "an array of { name, description?, required? }", args);
}

function entriesOf(given: unknown): [string, unknown][] {
  return isFields(given) ? Object.entries(given) : [];
}

function checkNames(name: string, given: unknown): void {
  if (given === undefined || (Array.isArray(given) && given.every((item) => typeof item === "string"))) return;
  throw invalidMcpValue(`${name} of MCPServer`, "an array of strings", given);
}

function isLongEnough(key: unknown): boolean {
  if (typeof key === "string") return new TextEncoder().encode(key).byteLength >= 32;
  return key instanceof Uint8Array && key.byteLength >= 32;
}
