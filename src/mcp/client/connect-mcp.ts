import { checkOptions } from "../../check-options.js";
import { hasMethod, isFields } from "../../is.js";
import { invalidMcpOption, invalidMcpValue } from "../errors.js";
import { maxTimerMs } from "../timing.js";
import { ConnectedServers, type McpConnection } from "./connection.js";
import { isRoot } from "./new-client.js";
import type { McpOptions, McpServerConfig } from "./options.js";

/**
 * Connects to MCP servers in parallel: programs to start (`command`) or addresses (`url`). Their tools are named
 * `<server>_<name>` and work like any other tool. When a server asks the user something, the run is interrupted, and can be
 * resumed with the answer days later.
 *
 * @example
 * await using connection = await connectMcp({
 *   files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/data"] },
 *   issues: { url: "https://mcp.example.com/mcp", headers: { authorization: `Bearer ${process.env.TOKEN}` }, optional: true },
 * });
 * const node = new AgenticToolsNode({ tools: connection.tools() });
 */
export async function connectMcp(
  servers: Readonly<Record<string, McpServerConfig>>,
  options: McpOptions = {},
): Promise<McpConnection> {
  checkConnectOptions(options);
  if (!isFields(servers)) throw invalidMcpValue("The servers of connectMcp", "a record of configurations", servers);
  for (const [name, config] of Object.entries(servers)) checkServer(name, config);
  return new ConnectedServers(servers, options).open();
}

const kinds = {
  command: ["command", "args", "env", "cwd", "stderr"],
  url: ["url", "headers", "authProvider", "fetch", "sse"],
  transport: ["transport"],
  client: ["client"],
} as const;
const sharedOptions = ["optional", "timeoutMs", "connectTimeoutMs", "revision", "include", "exclude", "prefix"];

function checkServer(name: string, config: unknown): void {
  if (!/^[A-Za-z0-9-]{1,32}$/.test(name)) {
    throw invalidMcpOption(
      `The key of an MCP server must have 1 to 32 characters, which are letters, digits or "-" (got ${JSON.stringify(name)}).`,
    );
  }
  const where = `the MCP server "${name}"`;
  if (!isFields(config)) throw invalidMcpValue(`The configuration of ${where}`, "an object", config);
  const given = Object.keys(kinds).filter((kind) => config[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    throw invalidMcpOption(`The configuration of ${where} needs exactly one of command, url, transport and client.`);
  }
  const known = [...kinds[kind as keyof typeof kinds], ...sharedOptions];
  checkOptions(where, config, known);
  checkTarget(where, config);
  checkTargetOptions(where, config);
  if (config.timeoutMs !== Infinity) checkMilliseconds(`timeoutMs of ${where}`, config.timeoutMs);
  checkMilliseconds(`connectTimeoutMs of ${where}`, config.connectTimeoutMs);
  checkRevision(where, config.revision);
  for (const option of ["include", "exclude"]) checkNames(`${option} of ${where}`, config[option]);
  const { prefix } = config;
  if (prefix !== undefined && prefix !== false && (typeof prefix !== "string" || prefix === "")) {
    throw invalidMcpValue(`prefix of ${where}`, "a non-empty string, or false", prefix);
  }
}

function checkTarget(where: string, { command, url, transport, client }: Readonly<Record<string, unknown>>): void {
  if (command !== undefined && (typeof command !== "string" || command === "")) {
    throw invalidMcpValue(`command of ${where}`, "the name or path of a program", command);
  }
  if (url !== undefined && !isWebAddress(url)) throw invalidMcpValue(`url of ${where}`, "an http or https URL", url);
  for (const [option, given, method, rule] of [
    ["transport", transport, "send", "a transport of @modelcontextprotocol/client"],
    ["client", client, "callTool", "a connected client of @modelcontextprotocol/client"],
  ] as const) {
    if (given !== undefined && !(isFields(given) && typeof given[method] === "function"))
      throw invalidMcpValue(`${option} of ${where}`, rule, given);
  }
}

/** Checks the options that belong to a program or to an address. */
function checkTargetOptions(where: string, config: Readonly<Record<string, unknown>>): void {
  const { args, env, cwd, stderr, headers, authProvider, fetch, sse, optional } = config;
  checkNames(`args of ${where}`, args, "an array of strings");
  for (const [option, given] of Object.entries({ env, headers })) {
    if (given !== undefined && !(isFields(given) && Object.values(given).every((value) => typeof value === "string")))
      throw invalidMcpValue(`${option} of ${where}`, "a record of strings", given);
  }
  if (isFields(headers) && !areHeaders(headers))
    throw invalidMcpValue(`headers of ${where}`, "a record of HTTP headers", Object.keys(headers));
  if (cwd !== undefined && typeof cwd !== "string")
    throw invalidMcpValue(`cwd of ${where}`, "the path of a folder", cwd);
  if (stderr !== undefined && !["inherit", "ignore", "pipe"].includes(String(stderr)))
    throw invalidMcpValue(`stderr of ${where}`, '"inherit", "ignore" or "pipe"', stderr);
  if (authProvider !== undefined && !isFields(authProvider))
    throw invalidMcpValue(`authProvider of ${where}`, "an object", authProvider);
  if (fetch !== undefined && typeof fetch !== "function")
    throw invalidMcpValue(`fetch of ${where}`, "a function", fetch);
  if (sse !== undefined && sse !== true) throw invalidMcpValue(`sse of ${where}`, "true or undefined", sse);
  if (optional !== undefined && typeof optional !== "boolean")
    throw invalidMcpValue(`optional of ${where}`, "true or false", optional);
}

/** The caller names only the keys in its message, because the values may be secrets. */
function areHeaders(headers: object): boolean {
  try {
    new Headers({ ...headers });
    return true;
  } catch {
    return false;
  }
}

function isWebAddress(url: unknown): boolean {
  return (
    (typeof url === "string" || url instanceof URL) && /^https?:\/\/[^/]/.test(String(url)) && URL.canParse(String(url))
  );
}

function checkMilliseconds(name: string, given: unknown): void {
  if (given === undefined || (typeof given === "number" && given > 0 && given <= maxTimerMs)) return;
  throw invalidMcpValue(name, `a number of milliseconds above 0 and up to ${maxTimerMs}`, given);
}

function checkRevision(where: string, given: unknown): void {
  if (given === undefined || given === "auto" || given === "legacy") return;
  if (isFields(given) && typeof given.pin === "string" && /^\d{4}-\d\d-\d\d$/.test(given.pin)) return;
  throw invalidMcpValue(`revision of ${where}`, '"auto", "legacy" or { pin: "2026-07-28" }', given);
}

function checkNames(name: string, given: unknown, rule = "an array of strings"): void {
  if (given === undefined || (Array.isArray(given) && given.every((item) => typeof item === "string"))) return;
  throw invalidMcpValue(name, rule, given);
}

/** `isFields` without the type guard, which would narrow options that already have a type. */
function isObject(value: unknown): boolean {
  return isFields(value);
}

const optionNames: readonly (keyof McpOptions)[] = [
  ...(["clientInfo", "elicitation", "sampling", "roots", "drift", "reconnect", "onEvent"] as const),
  "requireApproval",
];

function checkConnectOptions(options: McpOptions): void {
  checkOptions("connectMcp", options, optionNames);
  const { elicitation, drift, reconnect } = options;
  if (
    elicitation !== undefined &&
    !["interrupt", "decline"].includes(elicitation as string) &&
    typeof elicitation !== "function"
  ) {
    throw invalidMcpValue("elicitation of connectMcp", '"interrupt", "decline" or a function', elicitation);
  }
  checkDrift(drift);
  checkHandlers({ ...options } as never);
  checkReconnect(reconnect);
}

function checkReconnect(reconnect: McpOptions["reconnect"]): void {
  if (reconnect === undefined || reconnect === false) return;
  if (!isObject(reconnect)) throw invalidMcpValue("reconnect of connectMcp", "an object or false", reconnect);
  checkOptions("reconnect", reconnect, ["attempts", "delayMs", "maxDelayMs"]);
  const { attempts = 5, delayMs = 500, maxDelayMs = 30_000 } = reconnect;
  if (!(attempts === Infinity || (Number.isInteger(attempts) && attempts >= 0))) {
    throw invalidMcpValue("reconnect.attempts", "a whole number of at least 0, or Infinity", attempts);
  }
  for (const [name, value] of Object.entries({ delayMs, maxDelayMs })) {
    if (!(typeof value === "number" && value >= 0 && value <= maxTimerMs)) {
      throw invalidMcpValue(`reconnect.${name}`, `a number of milliseconds from 0 to ${maxTimerMs}`, value);
    }
  }
  if (delayMs > maxDelayMs) {
    const hint = reconnect.maxDelayMs === undefined ? ", the default). Set maxDelayMs too." : ").";
    throw invalidMcpOption(
      `reconnect.delayMs (${delayMs}) must not be above reconnect.maxDelayMs (${maxDelayMs}${hint}`,
    );
  }
}

function checkHandlers({ clientInfo, sampling, roots, onEvent }: Readonly<Record<keyof McpOptions, unknown>>): void {
  if (onEvent !== undefined && typeof onEvent !== "function")
    throw invalidMcpValue("onEvent of connectMcp", "a function", onEvent);
  const isNamed =
    isFields(clientInfo) &&
    [clientInfo.name, clientInfo.version].every((text) => typeof text === "string" && text !== "");
  if (clientInfo !== undefined && !isNamed)
    throw invalidMcpValue("clientInfo of connectMcp", "an object with name and version", clientInfo);
  checkSampling(sampling);
  if (roots !== undefined && typeof roots !== "function" && !(Array.isArray(roots) && roots.every(isRoot)))
    throw invalidMcpValue("roots of connectMcp", "an array of { uri, name? }, or a function", roots);
}

function checkSampling(sampling: unknown): void {
  if (sampling === undefined || hasMethod(sampling, "generate")) return;
  if (!isFields(sampling) || !hasMethod(sampling.model, "generate"))
    throw invalidMcpValue("sampling of connectMcp", "a model, or an object { model, approve? }", sampling);
  checkOptions("sampling", sampling, ["model", "approve"]);
  const { approve } = sampling;
  if (approve !== undefined && typeof approve !== "boolean" && typeof approve !== "function")
    throw invalidMcpValue("sampling.approve of connectMcp", "true, false or a function", approve);
}

function checkDrift(drift: McpOptions["drift"]): void {
  if (drift === undefined) return;
  if (!isObject(drift)) throw invalidMcpValue("drift of connectMcp", "an object", drift);
  checkOptions("drift", drift, ["policy", "pins", "newTools"]);
  const { policy, pins, newTools } = drift;
  if (policy !== undefined && !["warn", "deny", "ignore"].includes(policy)) {
    throw invalidMcpValue("drift.policy", '"warn", "deny" or "ignore"', policy);
  }
  if (newTools !== undefined && !["allow", "deny"].includes(newTools)) {
    throw invalidMcpValue("drift.newTools", '"allow" or "deny"', newTools);
  }
  if (pins !== undefined && !(isObject(pins) && Object.values(pins).every((pin) => typeof pin === "string"))) {
    throw invalidMcpValue("drift.pins", "a record of fingerprints (strings)", pins);
  }
}
