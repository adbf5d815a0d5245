import { isPlainObject } from "../is.js";
import { checkRecordKey } from "../schema/record-key.js";
import { invalidNode, invalidOption } from "./errors.js";
import { hasNodeDefinition } from "./plan/node-definition.js";

export interface NamedNode {
  readonly key: string;
  readonly node: unknown;
  readonly options: object | undefined;
}

/** Reads a record of nodes, each of which is a node or `{ node, options }`. */
export function readEntries(method: string, nodes: unknown): NamedNode[] {
  if (!isPlainObject(nodes)) throw invalidOption(`${method} takes the nodes as a record: { key: node }.`);
  return Object.entries(nodes).map(([key, entry]) => {
    checkRecordKey(key);
    return readEntry(key, entry);
  });
}

function readEntry(key: string, entry: unknown): NamedNode {
  if (!isPlainObject(entry) || !("node" in entry) || "component" in entry || hasNodeDefinition(entry)) {
    return { key, node: entry, options: undefined };
  }
  const { node, options, ...rest } = entry;
  const [other] = Object.keys(rest);
  if (other !== undefined)
    throw invalidNode(key, `has "${other}" beside its node. Write { node, options: { ${other} } }.`);
  if (options !== undefined && (typeof options !== "object" || options === null)) {
    throw invalidNode(key, "has options that are not an object. Write { node, options: { … } }.");
  }
  return { key, node, options };
}
