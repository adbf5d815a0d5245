import { isFields } from "../../is.js";
import { type EntrySchemas, entryName, entryProblem } from "../list-entries.js";
import type { Transport } from "./sdk.js";

/** The lists of a server. */
export type McpList = "tools" | "prompts" | "resources" | "resourceTemplates";

/** An entry of a list that was left out, because it cannot be used. */
export interface McpSkippedEntry {
  /** The list that it was left out of. */
  readonly list: McpList;
  /** The name of the entry, or its URI; `(unnamed)` if it has neither. */
  readonly name: string;
  /** Why it cannot be used. */
  readonly reason: string;
}

const lists: Readonly<Record<string, { readonly list: McpList; readonly type: keyof EntrySchemas }>> = {
  "tools/list": { list: "tools", type: "Tool" },
  "prompts/list": { list: "prompts", type: "Prompt" },
  "resources/list": { list: "resources", type: "Resource" },
  "resources/templates/list": { list: "resourceTemplates", type: "ResourceTemplate" },
};

type EntryProblem = (type: keyof EntrySchemas, entry: unknown) => string | undefined;

/** The rules that the schemas of the official client leave open, but its lists or models do not. */
function toolProblem(tool: unknown, { Tool }: EntrySchemas, isModern: boolean): string | undefined {
  if (!isFields(tool)) return undefined;
  if (tool.name === "") return "name: must not be empty";
  if (isModern || tool.outputSchema === undefined) return undefined;
  // before 2026-07-28, a structured output has the same form as an input
  const problem = entryProblem(Tool, { name: "output", inputSchema: tool.outputSchema });
  return problem?.replaceAll("inputSchema", "outputSchema");
}

/** The entries of a server that were left out of its lists. */
export class SkippedEntries {
  readonly #entries = new Map<McpList, Map<string, McpSkippedEntry>>();
  readonly #reported = new Set<string>();
  readonly #report: (entry: McpSkippedEntry) => void;

  /** `report` is called once for each entry and reason. */
  constructor(report: (entry: McpSkippedEntry) => void) {
    this.#report = report;
  }

  get all(): readonly McpSkippedEntry[] {
    return [...this.#entries.values()].flatMap((entries) => [...entries.values()]);
  }

  add(entry: McpSkippedEntry): void {
    const { list, name, reason } = entry;
    const key = JSON.stringify([list, name, reason]);
    const entries = this.#entries.get(list) ?? new Map<string, McpSkippedEntry>();
    this.#entries.set(list, entries.set(key, entry));
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#report(entry);
  }

  /** Forgets the entries of a list that is about to be read again. */
  clear(list: McpList): void {
    this.#entries.delete(list);
  }

  /**
   * Removes entries that MCP does not allow from the lists that arrive over the transport of a connected client: the official
   * client would reject the whole list because of one of them.
   */
  watch(transport: Transport, schemas: EntrySchemas, isModern: boolean): void {
    const problem = (type: keyof EntrySchemas, entry: unknown) =>
      entryProblem(schemas[type], entry) ?? (type === "Tool" ? toolProblem(entry, schemas, isModern) : undefined);
    const asked = new Map<unknown, string>();
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ("method" in message && "id" in message && Object.hasOwn(lists, message.method)) {
        asked.set(message.id, message.method);
        const { list } = lists[message.method] ?? {};
        if (list !== undefined && message.params?.cursor === undefined) this.clear(list);
      }
      return send(message, options);
    };
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      const id = "id" in message && !("method" in message) ? message.id : undefined;
      const method = asked.get(id);
      asked.delete(id);
      receive?.(method === undefined ? message : this.#withoutOdd(message, method, problem), extra);
    };
  }

  #withoutOdd<M extends object>(message: M, method: string, problem: EntryProblem): M {
    const result: unknown = Reflect.get(message, "result");
    const { list, type } = lists[method] ?? {};
    if (list === undefined || type === undefined || !isFields(result)) return message;
    const entries = result[list];
    if (!Array.isArray(entries)) return message;
    const kept = entries.filter((entry) => {
      const reason = problem(type, entry);
      if (reason !== undefined) this.add({ list, name: entryName(entry), reason });
      return reason === undefined;
    });
    return { ...message, result: { ...result, [list]: kept } };
  }
}
