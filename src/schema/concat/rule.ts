import type { ConcatRegistry } from "./registry.js";

/**
 * How a node declares that its chunks join: `"list"` makes one array (of the elements of chunks that are arrays, of the
 * chunks themselves otherwise), `"last"` takes the last chunk, `"record"` joins records key by key, `"text"` joins texts.
 * A function gets all chunks, one or more.
 */
export type DeclaredConcat = "list" | "last" | "record" | "text" | ((chunks: never[]) => unknown);

/** For records that the library makes: every key joins by its own rule. */
export interface KeyedRule {
  readonly keyed: ReadonlyMap<string, ConcatRule | undefined>;
  /** For keys that are not in `keyed`. */
  readonly rest?: ConcatRule | undefined;
}

export type ConcatRule = DeclaredConcat | KeyedRule;

/** All that `concat()` needs to know. */
export interface Joining {
  readonly rule?: ConcatRule | undefined;
  readonly registry?: ConcatRegistry | undefined;
  /** Whose chunks these are, for error messages: `node "write"`. */
  readonly where?: string | undefined;
}
