import { isFields } from "../../is.js";
import { invalidMcpValue } from "../errors.js";
import { type Asker, answerInCall } from "./elicitation.js";
import type { McpEvent } from "./events.js";
import type { CallInFlight } from "./in-flight.js";
import type { McpOptions, McpRoot, McpServerConfig, McpServerSettings } from "./options.js";
import type { Sampler } from "./sampling.js";
import { type Client, type ClientOptions, loadClient } from "./sdk.js";

/** Options that all servers of a connection share. */
export interface SharedOptions {
  readonly options: McpOptions;
  readonly sampler: Sampler | undefined;
  emit(event: McpEvent): void;
}

const ownInfo = { name: "kumiko", version: "0.1.0" };

/**
 * Creates a client that declares what this connection can answer, and answers requests that older servers send during a
 * call.
 */
export async function newClient(
  server: string,
  config: McpServerConfig,
  shared: SharedOptions,
  callInFlight: () => CallInFlight | undefined,
): Promise<Client> {
  const { Client } = await loadClient();
  const client = new Client(shared.options.clientInfo ?? ownInfo, clientOptions(config, shared));
  const asker = (call: CallInFlight | undefined): Asker => ({
    server,
    toolName: call?.toolName ?? "",
    toolCallId: call?.toolCallId ?? "",
  });
  const { elicitation = "interrupt", roots } = shared.options;
  if (elicitation !== "interrupt") {
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      const call = callInFlight();
      return (await answerInCall(params, asker(call), elicitation, mcpReq.signal, call?.ctx)) as never;
    });
  }
  const { sampler } = shared;
  if (sampler !== undefined) {
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
      const call = callInFlight();
      return (await sampler.answerInCall(params, asker(call), mcpReq.signal, call?.ctx)) as never;
    });
  }
  if (roots !== undefined) client.setRequestHandler("roots/list", async () => (await rootsOf(roots)) as never);
  client.setNotificationHandler("notifications/message", ({ params: { level, data, logger } }) => {
    shared.emit({ kind: "log", server, level, data, ...(logger !== undefined && { logger }) });
  });
  return client;
}

function clientOptions(config: McpServerConfig, { options, sampler }: SharedOptions): ClientOptions {
  const { revision = "auto", connectTimeoutMs = 10_000 } = config;
  // over a pipe, an older server may not answer the probe at all: half of the time is left for the handshake
  const probe = { timeoutMs: "url" in config ? connectTimeoutMs : Math.ceil(connectTimeoutMs / 2) };
  return {
    capabilities: {
      elicitation: { form: {}, url: {} },
      ...(sampler !== undefined && { sampling: {} }),
      ...(options.roots !== undefined && { roots: {} }),
    },
    ...negotiation(revision, probe),
    inputRequired: { autoFulfill: false },
    // the tools validate outputs themselves
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
  };
}

function negotiation(
  revision: NonNullable<McpServerSettings["revision"]>,
  probe: { timeoutMs: number },
): ClientOptions {
  if (revision === "auto") return { versionNegotiation: { mode: "auto", probe } };
  if (revision === "legacy") return { versionNegotiation: { mode: "legacy" } };
  const { pin } = revision;
  return isHandshakeRevision(pin)
    ? { versionNegotiation: { mode: "legacy" }, supportedProtocolVersions: [pin] }
    : { versionNegotiation: { mode: { pin } } };
}

/** Whether a program exited when it was asked for its revisions, as servers with some older SDKs do. */
export function exitedOnProbe(error: unknown, { revision = "auto" }: McpServerSettings): boolean {
  return revision === "auto" && isFields(error) && error.code === "ERA_NEGOTIATION_FAILED";
}

/** Revisions before 2026 start with a handshake. */
function isHandshakeRevision(revision: string): boolean {
  return revision < "2026";
}

/** The capabilities that need an interrupt of the run, and so cannot be offered during a call. */
export function interruptOnlyCapabilities({ options, sampler }: SharedOptions): string[] {
  const { elicitation = "interrupt" } = options;
  return [...(elicitation === "interrupt" ? ["elicitation"] : []), ...(sampler?.approve === true ? ["sampling"] : [])];
}

export function isRoot(given: unknown): given is McpRoot {
  const { uri, name } = isFields(given) ? given : {};
  return typeof uri === "string" && URL.canParse(uri) && (name === undefined || typeof name === "string");
}

export async function rootsOf(roots: NonNullable<McpOptions["roots"]>): Promise<object> {
  const list: unknown = typeof roots === "function" ? await roots() : roots;
  if (!Array.isArray(list) || !list.every(isRoot))
    throw invalidMcpValue("The result of roots of connectMcp", "an array of { uri, name? }", list);
  return { roots: list.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name })) };
}

/** The negotiated revision; empty if the client, of another SDK version, does not tell. */
export function revisionOf(client: object): string {
  const get: unknown = Reflect.get(client, "getNegotiatedProtocolVersion");
  const revision: unknown = typeof get === "function" ? Reflect.apply(get, client, []) : undefined;
  return typeof revision === "string" ? revision : "";
}

export function isModern(client: object): boolean {
  const get: unknown = Reflect.get(client, "getProtocolEra");
  return typeof get === "function" && Reflect.apply(get, client, []) === "modern";
}

/** The capabilities that the server has declared. */
export function capabilitiesOf(
  client: object,
): Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> {
  const get: unknown = Reflect.get(client, "getServerCapabilities");
  const given: unknown = typeof get === "function" ? Reflect.apply(get, client, []) : undefined;
  return isFields(given) ? (given as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>) : {};
}
