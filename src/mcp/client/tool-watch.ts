import type { McpToolDefinition } from "../../tools/mcp/mcp-client.js";
import type { McpEvent } from "./events.js";
import { fingerprintOf } from "./fingerprint.js";
import type { McpDrift } from "./options.js";

/** A tool of a server, with its name in this program. */
export interface WatchedTool {
  readonly id: string;
  /** `<server>_<name>` whatever the prefix: the key in `drift.pins`. */
  readonly key: string;
  readonly definition: McpToolDefinition;
  readonly fingerprint: string;
}

/** Compares the tools that a server lists with the pinned ones, or with its first list. */
export class ToolWatch {
  readonly #server: string;
  readonly #drift: McpDrift;
  readonly #emit: (event: McpEvent) => void;
  #known: Map<string, string> | undefined;
  #current: ReadonlyMap<string, string> = new Map();
  /** The events that were emitted, so that the same list does not emit them again. */
  readonly #emitted = new Set<string>();

  constructor(server: string, drift: McpDrift, emit: (event: McpEvent) => void) {
    this.#server = server;
    this.#drift = drift;
    this.#emit = emit;
  }

  /** Returns the tools that may be called. */
  async admit(definitions: readonly McpToolDefinition[], idOf: (name: string) => string): Promise<WatchedTool[]> {
    const listed: WatchedTool[] = [];
    for (const definition of definitions) {
      const hashed = fingerprintOf(definition);
      const fingerprint = typeof hashed === "string" ? hashed : await hashed;
      const { name } = definition;
      listed.push({ id: idOf(name), key: `${this.#server}_${name}`, definition, fingerprint });
    }
    const isFirst = this.#known === undefined;
    this.#known ??= new Map(listed.map(({ key, fingerprint }) => [key, fingerprint]));
    this.#current = new Map(listed.map(({ key, fingerprint }) => [key, fingerprint]));
    return listed.filter((tool) => this.#isAdmitted(tool, isFirst));
  }

  /** Why a tool of an earlier list must no longer be called; `undefined` if it may be. */
  refusalReason({ key, fingerprint }: WatchedTool): string | undefined {
    const now = this.#current.get(key);
    if (now === undefined || this.#drift.policy !== "deny") return undefined;
    const expected = this.#expected(key);
    if (now === fingerprint && (expected === undefined || expected === now)) return undefined;
    return `its definition has changed on the server (${short(expected ?? fingerprint)} became ${short(now)}), and drift.policy is "deny"`;
  }

  #expected(key: string): string | undefined {
    const { pins } = this.#drift;
    return pins !== undefined && Object.hasOwn(pins, key) ? pins[key] : this.#known?.get(key);
  }

  #isAdmitted({ id, key, fingerprint }: WatchedTool, isFirst: boolean): boolean {
    const { policy = "warn", pins, newTools = "allow" } = this.#drift;
    const isPinned = pins !== undefined && Object.hasOwn(pins, key);
    const expected = this.#expected(key);
    const isNew = expected === undefined || (pins !== undefined && !isPinned && isFirst);
    if (isNew) {
      const denied = newTools === "deny";
      if (denied || !isFirst) this.#emitOnce({ kind: "new_tool", server: this.#server, tool: id, denied }, fingerprint);
      if (!denied) this.#known?.set(key, fingerprint);
      else if (!isPinned) this.#known?.delete(key);
      return !denied;
    }
    if (expected === fingerprint || policy === "ignore") return true;
    const denied = policy === "deny";
    const event: McpEvent = {
      kind: "drift",
      server: this.#server,
      tool: id,
      before: expected,
      after: fingerprint,
      denied,
    };
    this.#emitOnce(event, fingerprint);
    return !denied;
  }

  #emitOnce(event: McpEvent & { readonly tool: string }, fingerprint: string): void {
    const key = `${event.kind} ${event.tool} ${fingerprint}`;
    if (this.#emitted.has(key)) return;
    this.#emitted.add(key);
    this.#emit(event);
  }
}

function short(fingerprint: string): string {
  return fingerprint.slice(0, 12);
}
