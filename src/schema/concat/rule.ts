import type { ConcatRegistry } from "./registry.js";

/**
 * How the chunks of a node are joined, as it declares. The rule also applies when there is only one chunk.
 *
 * - `"list"` makes one array: chunks that are arrays are flattened (holes are dropped), other chunks are items.
 * - `"last"` takes the last chunk.
 * - `"record"` joins records key by key, nested ones too; the values of a key are joined by their types.
 * - `"text"` joins strings, numbers and other primitive values to a string.
 * - A function gets all chunks.
 */
export type DeclaredConcat = "list" | "last" | "record" | "text" | ((chunks: never[]) => unknown);

/** The rule for records made by the library: every key has a rule of its own. @internal */
export interface KeyedRule {
  readonly keyed: ReadonlyMap<string, Joining>;
  /** The rule for keys that are not in `keyed`. */
  readonly rest?: ConcatRule | undefined;
  /** Joins whole records, if they do not join key by key; `keyed` is then used only where a single key is taken out. */
  readonly whole?: ((chunks: readonly unknown[]) => unknown) | undefined;
}

/** `"pieces"` joins by type, as without a declared rule, except that records are joined key by key. */
export type ConcatRule = DeclaredConcat | KeyedRule | "pieces";

/** How to join the chunks of one stream. It belongs to the output of a node, and readers carry it along. @internal */
export interface Joining {
  readonly rule?: ConcatRule | undefined;
  readonly registry?: ConcatRegistry | undefined;
  /** The source of the chunks, for error messages: `node "write"`. */
  readonly where?: string | undefined;
  /** Adds the node path to an error of the joining itself. */
  readonly locate?: ((error: unknown) => unknown) | undefined;
}
