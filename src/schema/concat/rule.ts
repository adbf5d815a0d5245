import type { ConcatRegistry } from "./registry.js";

/**
 * How a node declares that its chunks join, also when there is only one.
 *
 * - `"list"` makes one array: of the elements of chunks that are arrays (without holes), of all other chunks as they are.
 * - `"last"` takes the last chunk.
 * - `"record"` joins records key by key, inner ones too; the values of a key as if nothing were declared for them.
 * - `"text"` joins texts, numbers and the like.
 * - A function gets all chunks.
 */
export type DeclaredConcat = "list" | "last" | "record" | "text" | ((chunks: never[]) => unknown);

/** For records that the library makes: every key joins by its own rule. */
export interface KeyedRule {
  readonly keyed: ReadonlyMap<string, Joining>;
  /** For keys that are not in `keyed`. */
  readonly rest?: ConcatRule | undefined;
  /** Joins whole records, when they do not join key by key; `keyed` is then for those who take one key out of them. */
  readonly whole?: ((chunks: readonly unknown[]) => unknown) | undefined;
}

/** `"pieces"`: as if nothing were declared, except that records join key by key. */
export type ConcatRule = DeclaredConcat | KeyedRule | "pieces";

/** All that joining the chunks of one stream needs to know. It belongs to the output of a node, and readers carry it. */
export interface Joining {
  readonly rule?: ConcatRule | undefined;
  readonly registry?: ConcatRegistry | undefined;
  /** Whose chunks these are, for error messages: `node "write"`. */
  readonly where?: string | undefined;
  /** Gives an error of the joining itself its place. */
  readonly locate?: ((error: unknown) => unknown) | undefined;
}
