import { unreadableCheckpoint } from "../checkpoint-errors.js";
import { markedPart, nameParts, type SharingTree } from "../values/tree.js";
import { asList, asRecord, asStep, asText } from "./json-parts.js";

/** Returns the JSON that a reference in a change stands for, as a copy of its own. */
export type Resolve = (address: readonly unknown[]) => unknown;

/** How a saved state has changed, as `StateDifference` writes it. */
export interface TreeChange {
  readonly change?: unknown;
  readonly shared?: unknown;
  readonly names?: unknown;
}

/** Applies a change to a tree and to its shared objects. */
export function changeTrees(trees: SharingTree, { change, shared, names }: TreeChange, resolve: Resolve): void {
  if (change !== undefined) trees.tree = changeTree(trees.tree, change, resolve);
  if (shared !== undefined) {
    for (const [id, inner] of Object.entries(asRecord(shared, "the changes of shared objects"))) {
      if (!Object.hasOwn(trees.shared, id)) throw unreadableCheckpoint(`a state has no shared object ${id}`);
      trees.shared[id] = changeTree(trees.shared[id], inner, resolve);
    }
  }
  if (names !== undefined) nameParts(trees, names);
}

/** A record holds a change for each key; a list is an operation with its arguments. An empty list removes the key. */
function changeTree(tree: unknown, change: unknown, resolve: Resolve): unknown {
  if (!Array.isArray(change))
    return changeRecord(asRecord(tree, "a changed record"), asRecord(change, "a change"), resolve);
  const [kind, ...given] = change as readonly unknown[];
  switch (kind) {
    case "set":
      return resolved(given[0], resolve);
    case "text":
      return asText(tree, "a string that is extended") + asText(given[0], "the rest of a string");
    case "add":
      asAnyList(tree).push(...given.map((item) => resolved(item, resolve)));
      return tree;
    case "list":
      return changeList(asAnyList(tree), given, resolve);
    default:
      throw unreadableCheckpoint("a state change has an unknown kind");
  }
}

function changeRecord(
  tree: Record<string, unknown>,
  changes: Readonly<Record<string, unknown>>,
  resolve: Resolve,
): unknown {
  for (const [key, change] of Object.entries(changes)) {
    if (Array.isArray(change) && change.length === 0) {
      Reflect.deleteProperty(tree, key);
      continue;
    }
    const value = changeTree(Object.hasOwn(tree, key) ? tree[key] : undefined, change, resolve);
    Object.defineProperty(tree, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return tree;
}

/** Applied in this order: items dropped from the front, changed items, the length that is kept, items added. */
function changeList(tree: unknown[], [changes, dropped, length, added]: readonly unknown[], resolve: Resolve): unknown {
  tree.splice(0, asStep(dropped, 0, "the start of a list"));
  for (const [key, change] of Object.entries(asRecord(changes, "the changes of a list"))) {
    const index = Number(key);
    if (!Object.hasOwn(tree, index)) throw unreadableCheckpoint(`a changed list has no item ${key}`);
    tree[index] = changeTree(tree[index], change, resolve);
  }
  const kept = asStep(length, 0, "the length of a list");
  if (kept > tree.length) throw unreadableCheckpoint("a changed list keeps more items than it has");
  tree.length = kept;
  tree.push(...asList(added, "the added items of a list", (item) => resolved(item, resolve)));
  return tree;
}

function asAnyList(tree: unknown): unknown[] {
  if (Array.isArray(tree)) return tree;
  throw unreadableCheckpoint("a changed list is not a list");
}

/** Replaces the references in a new value, at any depth. */
export function resolved(tree: unknown, resolve: Resolve): unknown {
  if (typeof tree !== "object" || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item) => resolved(item, resolve));
  const marked = markedPart(tree);
  if (Array.isArray(marked)) return resolve(marked);
  for (const [key, part] of Object.entries(tree)) {
    const value = resolved(part, resolve);
    if (value !== part) Object.defineProperty(tree, key, { value });
  }
  return tree;
}
