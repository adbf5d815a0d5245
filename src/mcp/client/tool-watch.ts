import type { McpToolDefinition } from "../../tools/mcp/mcp-client.js";
import type { McpEvent } from "./events.js";
import { fingerprintOf } from "./fingerprint.js";
import type { McpDrift } from "./options.js";

/** A tool of a server, under the name that it has here. */
export interface WatchedTool {
  readonly id: string;
  /** `<server>_<name>`, whatever it is called here: what pins are kept under. */
  readonly key: string;
  readonly definition: McpToolDefinition;
  readonly fingerprint: string;
}

/** Compares what a server lists with what was pinned, or with its first list. */
export class ToolWatch {
  readonly #server: string;
  readonly #drift: McpDrift;
  readonly #emit: (event: McpEvent) => void;
  #known: Map<string, string> | undefined;
  #current: ReadonlyMap<string, string> = new Map();
  /** What was already reported: a list that comes again adds nothing. */
  readonly #told = new Set<string>();

  constructor(server: string, drift: McpDrift, emit: (event: McpEvent) => void) {
    this.#server = server;
    this.#drift = drift;
    this.#emit = emit;
  }

  /** Gives the tools that may be called. */
  async admit(definitions: readonly McpToolDefinition[], idOf: (name: string) => string): Promise<WatchedTool[]> {
    const listed: WatchedTool[] = [];
    for (const definition of definitions) {
      const made = fingerprintOf(definition);
      const fingerprint = typeof made === "string" ? made : await made;
      const { name } = definition;
      listed.push({ id: idOf(name), key: `${this.#server}_${name}`, definition, fingerprint });
    }
    const isFirst = this.#known === undefined;
    this.#known ??= new Map(listed.map(({ key, fingerprint }) => [key, fingerprint]));
    this.#current = new Map(listed.map(({ key, fingerprint }) => [key, fingerprint]));
    return listed.filter((tool) => this.#isAdmitted(tool, isFirst));
  }

  /** Why a tool of an older list may not be called, if so. */
  whyRefused({ key, fingerprint }: WatchedTool): string | undefined {
    const now = this.#current.get(key);
    if (now === undefined || this.#drift.policy !== "deny") return undefined;
    const expected = this.#expected(key);
    if (now === fingerprint && (expected === undefined || expected === now)) return undefined;
    return `its server has changed it (${short(expected ?? fingerprint)} became ${short(now)}), and drift.policy is "deny"`;
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
      if (denied || !isFirst) this.#tell({ kind: "new_tool", server: this.#server, tool: id, denied }, fingerprint);
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
    this.#tell(event, fingerprint);
    return !denied;
  }

  #tell(event: McpEvent & { readonly tool: string }, fingerprint: string): void {
    const told = `${event.kind} ${event.tool} ${fingerprint}`;
    if (this.#told.has(told)) return;
    this.#told.add(told);
    this.#emit(event);
  }
}

function short(fingerprint: string): string {
  return fingerprint.slice(0, 12);
}
