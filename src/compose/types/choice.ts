import type { StreamReader } from "../../schema/stream/reader.js";

/** The choice of a branch: one of its targets, or several. @internal */
export type Choice<Target> = Target | readonly Target[] | Promise<Target | readonly Target[]>;

/** The constraint for inferring the return type of a choosing function: one key or several, or a promise of them. @internal */
export type AnyChoice = string | readonly string[] | Promise<string | readonly string[]>;

/** The keys in what a choosing function returns. */
type KeysOf<Chosen> =
  Awaited<Chosen> extends infer Settled ? (Settled extends readonly (infer Key)[] ? Key : Settled) : never;

/**
 * The possible results of a function that returns `Chosen`. The compiler may widen the literals of an async function to `string`; that is
 * accepted, and checked when the branch runs.
 *
 * @internal
 */
export type CheckedChoice<Chosen, Target extends string> = [KeysOf<Chosen>] extends [Target]
  ? unknown
  : string extends KeysOf<Chosen>
    ? Choice<Target> | Promise<string | readonly string[]>
    : Choice<Target>;

/** The input of a branch: a value, or a stream of its chunks. */
export type Seen<Value, Streamed> = Streamed extends true ? StreamReader<Value> : Value;
