import { unreadableCheckpoint } from "../checkpoint-errors.js";
import { markedPart, nameParts, type SharingTree } from "../values/tree.js";
import { asList, asRecord, asStep, asText } from "./json-parts.js";

/** Gives what a reference of a change stands for: JSON that nobody else has. */
export type Resolve = (address: readonly unknown[]) => unknown;

/** How a saved state has changed; see `StateDifference`. */
export interface TreeChange {
  readonly change?: unknown;
  readonly shared?: unknown;
  readonly names?: unknown;
}

/** Applies what has changed to a tree and to the objects beside it. */
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

/** A record says what becomes of keys; a list says what it does, and with what. An empty one takes a key away. */
function changeTree(tree: unknown, change: unknown, resolve: Resolve): unknown {
  if (!Array.isArray(change))
    return changeRecord(asRecord(tree, "a changed record"), asRecord(change, "a change"), resolve);
  const [kind, ...given] = change as readonly unknown[];
  switch (kind) {
    case "set":
      return resolved(given[0], resolve);
    case "text":
      return asText(tree, "a text that goes on") + asText(given[0], "the rest of a text");
    case "add":
      asAnyList(tree).push(...given.map((item) => resolved(item, resolve)));
      return tree;
    case "list":
      return changeList(asAnyList(tree), given, resolve);
    default:
      throw unreadableCheckpoint("a change of a state is of an unknown kind");
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

/** In order: what is cut off at the front, changes of items, the length that is kept, what is added. */
function changeList(tree: unknown[], [changes, from, length, added]: readonly unknown[], resolve: Resolve): unknown {
  tree.splice(0, asStep(from, 0, "the start of a list"));
  for (const [key, change] of Object.entries(asRecord(changes, "the changes of a list"))) {
    const index = Number(key);
    if (!Object.hasOwn(tree, index)) throw unreadableCheckpoint(`a changed list has no item ${key}`);
    tree[index] = changeTree(tree[index], change, resolve);
  }
  const left = asStep(length, 0, "the length of a list");
  if (left > tree.length) throw unreadableCheckpoint("a list cannot get longer by its length");
  tree.length = left;
  tree.push(...asList(added, "what a list gets", (item) => resolved(item, resolve)));
  return tree;
}

function asAnyList(tree: unknown): unknown[] {
  if (Array.isArray(tree)) return tree;
  throw unreadableCheckpoint("a changed list is not a list");
}

/** References stand for a whole that is new, or for an item of a new list. */
function resolved(tree: unknown, resolve: Resolve): unknown {
  if (typeof tree !== "object" || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item) => resolved(item, resolve));
  const marked = markedPart(tree);
  return Array.isArray(marked) ? resolve(marked) : tree;
}

/** The same for references anywhere. */
export function resolveAll(tree: unknown, resolve: Resolve): unknown {
  if (typeof tree !== "object" || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item) => resolveAll(item, resolve));
  const marked = markedPart(tree);
  if (Array.isArray(marked)) return resolve(marked);
  for (const [key, part] of Object.entries(tree)) {
    const value = resolveAll(part, resolve);
    if (value !== part) Object.defineProperty(tree, key, { value });
  }
  return tree;
}
