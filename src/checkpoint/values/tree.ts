import { unreadableCheckpoint } from "../checkpoint-errors.js";
import { noteSavedForm } from "./saved-form.js";

/**
 * The key that marks special values in a tree. A tree is JSON of which parts can be replaced; what JSON cannot represent is a
 * record with this one key:
 *
 * - `{ "$": { "graph": … } }` is a value as devalue writes it,
 * - `{ "$": { "own": … } }` is a record that has this one key itself,
 * - `{ "$": { "ref": 3 } }` is the shared object with this id, stored beside the tree because it occurs more than once,
 * - `{ "$": ["4 model", 0] }`, in what is added to a tree, is a copy of a value elsewhere in the document.
 */
export const mark = "$";

type JsonRecord = Record<string, unknown>;

/** A tree and the shared objects beside it. */
export interface SharingTree {
  tree: unknown;
  shared: JsonRecord;
}

/** Reads the parts of a tree that are not JSON. */
export interface PartDecoder {
  decode(json: unknown, slot: string): unknown;
}

/** The content of a marked record; `undefined` for every other part of a tree. */
export function markedPart(tree: object): unknown {
  const keys = Object.keys(tree);
  return keys.length === 1 && keys[0] === mark ? Reflect.get(tree, mark) : undefined;
}

/** Reads a saved tree with its shared objects. */
export function sharingTree(saved: JsonRecord): SharingTree {
  const shared = isRecord(saved.shared) ? saved.shared : {};
  const found: SharingTree = { tree: Object.hasOwn(saved, "tree") ? saved.tree : saved.json, shared };
  if (saved.names !== undefined) nameParts(found, saved.names);
  return found;
}

/** Moves parts of a tree to the shared objects. Each path is valid after the moves before it. */
export function nameParts(trees: SharingTree, names: unknown): void {
  if (!Array.isArray(names)) throw damaged();
  for (const name of names) {
    const [from, steps, id] = Array.isArray(name) ? name : [];
    if (!Array.isArray(steps) || typeof id !== "number") throw damaged();
    const path: unknown[] = from === null ? ["tree", ...steps] : ["shared", String(from), ...steps];
    const key = String(path.pop());
    let holder: unknown = trees;
    for (const step of path) holder = ownPart(holder, String(step));
    const part = ownPart(holder, key);
    if (typeof part !== "object" || part === null) throw damaged();
    trees.shared[id] = part;
    Reflect.set(Object(holder), key, { [mark]: { ref: id } });
  }
}

function ownPart(holder: unknown, key: string): unknown {
  if (typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)) return Reflect.get(holder, key);
  throw damaged();
}

/** Decodes a tree to its value, in place. */
export function valueOfTree(saved: JsonRecord, decoder: PartDecoder, slot: string): unknown {
  const { tree, shared } = sharingTree(saved);
  const reader = new TreeReader(shared, decoder, slot);
  const value = reader.value(tree);
  const ids = new Map<unknown, number>();
  for (const [id, part] of Object.entries(shared)) ids.set(reader.parts(part), Number(id));
  if (ids.size > 0) noteSavedForm(value, { ids, last: Math.max(...ids.values()) });
  return value;
}

class TreeReader {
  readonly #shared: JsonRecord;
  readonly #decoder: PartDecoder;
  readonly #slot: string;

  constructor(shared: JsonRecord, decoder: PartDecoder, slot: string) {
    this.#shared = shared;
    this.#decoder = decoder;
    this.#slot = slot;
  }

  value(tree: unknown): unknown {
    if (typeof tree !== "object" || tree === null) return tree;
    if (Array.isArray(tree)) return this.parts(tree);
    const marked = markedPart(tree);
    if (!isRecord(marked)) return this.parts(tree);
    if (Object.hasOwn(marked, "ref")) return ownPart(this.#shared, String(marked.ref));
    if (!Object.hasOwn(marked, "own")) return this.#decoder.decode(marked, this.#slot);
    Reflect.set(tree, mark, this.value(marked.own));
    return tree;
  }

  /** Decodes the values inside a record or a list. */
  parts(tree: unknown): unknown {
    if (Array.isArray(tree)) {
      for (let index = 0; index < tree.length; index++) tree[index] = this.value(tree[index]);
    } else if (isRecord(tree)) {
      for (const [key, part] of Object.entries(tree)) {
        const value = this.value(part);
        if (value !== part) Object.defineProperty(tree, key, { value });
      }
    }
    return tree;
  }
}

function isRecord(json: unknown): json is JsonRecord {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

const damaged = (): Error => unreadableCheckpoint("a state refers to a part that does not exist");
