import { isFields } from "../../is.js";
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
    if (given !== undefined && !(typeof given === "number" && given > 0)) {
      throw invalidMcpValue(`${name} of MCPServer`, "a number above 0", given);
    }
  }
  for (const name of ["allowedHosts", "allowedOrigins"]) checkNames(name, options[name]);
  for (const name of ["auth", "completions"]) {
    const given = options[name];
    if (given !== undefined && typeof given !== "function")
      throw invalidMcpValue(`${name} of MCPServer`, "a function", given);
  }
  for (const name of ["agents", "workflows", "graphs", "prompts", "resources", "toolsNode"]) {
    const given = options[name];
    if (given !== undefined && !isFields(given)) throw invalidMcpValue(`${name} of MCPServer`, "an object", given);
  }
}

function checkNames(name: string, given: unknown): void {
  if (given === undefined || (Array.isArray(given) && given.every((item) => typeof item === "string"))) return;
  throw invalidMcpValue(`${name} of MCPServer`, "a list of names", given);
}

function isLongEnough(key: unknown): boolean {
  if (typeof key === "string") return new TextEncoder().encode(key).byteLength >= 32;
  return key instanceof Uint8Array && key.byteLength >= 32;
}
