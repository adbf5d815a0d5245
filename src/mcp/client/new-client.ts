import { isFields } from "../../is.js";
import { type Asker, answerInCall } from "./elicitation.js";
import type { McpEvent } from "./events.js";
import type { CallInFlight } from "./in-flight.js";
import type { McpOptions, McpServerConfig, McpServerSettings } from "./options.js";
import type { Sampler } from "./sampling.js";
import { type Client, type ClientOptions, loadClient } from "./sdk.js";

/** What all servers of a connection share. */
export interface SharedOptions {
  readonly options: McpOptions;
  readonly sampler: Sampler | undefined;
  emit(event: McpEvent): void;
}

const ownInfo = { name: "kumiko", version: "0.1.0" };

/** A client that says what this connection can answer, and answers what servers of older revisions ask during a call. */
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
  // over a pipe a server that does not know the newest revision may not answer at all: that leaves time for the handshake
  const probe = { timeoutMs: "url" in config ? connectTimeoutMs : Math.ceil(connectTimeoutMs / 2) };
  return {
    capabilities: {
      elicitation: { form: {}, url: {} },
      ...(sampler !== undefined && { sampling: {} }),
      ...(options.roots !== undefined && { roots: {} }),
    },
    ...negotiation(revision, probe),
    inputRequired: { autoFulfill: false },
    // outputs are checked by the tools
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

/** Whether a program has ended when it was asked which revisions it speaks: some of older SDKs do, instead of answering. */
export function endedWhenAsked(error: unknown, { revision = "auto" }: McpServerSettings): boolean {
  return revision === "auto" && isFields(error) && error.code === "ERA_NEGOTIATION_FAILED";
}

/** Revisions before 2026 begin with a handshake. */
function isHandshakeRevision(revision: string): boolean {
  return revision < "2026";
}

/** What cannot be answered during a call, because a person would have to be asked by an interrupt. */
export function onlyByInterrupt({ options, sampler }: SharedOptions): string[] {
  const { elicitation = "interrupt" } = options;
  return [...(elicitation === "interrupt" ? ["elicitation"] : []), ...(sampler?.approve === true ? ["sampling"] : [])];
}

export async function rootsOf(roots: NonNullable<McpOptions["roots"]>): Promise<object> {
  const list = typeof roots === "function" ? await roots() : roots;
  return { roots: list.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name })) };
}

/** The revision that was agreed on. A client of another version of the SDK may not say. */
export function revisionOf(client: object): string {
  const get: unknown = Reflect.get(client, "getNegotiatedProtocolVersion");
  const revision: unknown = typeof get === "function" ? Reflect.apply(get, client, []) : undefined;
  return typeof revision === "string" ? revision : "";
}

export function isModern(client: object): boolean {
  const get: unknown = Reflect.get(client, "getProtocolEra");
  return typeof get === "function" && Reflect.apply(get, client, []) === "modern";
}

/** What the server says that it can do. */
export function capabilitiesOf(
  client: object,
): Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> {
  const get: unknown = Reflect.get(client, "getServerCapabilities");
  const given: unknown = typeof get === "function" ? Reflect.apply(get, client, []) : undefined;
  return isFields(given) ? (given as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>) : {};
}
