import type { StreamReader } from "../../schema/stream/reader.js";

/** What a branch may choose: one of its targets, or several. */
export type Choice<Target> = Target | readonly Target[] | Promise<Target | readonly Target[]>;

/**
 * What a function that returns `Chosen` may return. The compiler widens the only literal of an async function to `string`
 * (it does not for two): that is taken, and checked when the branch runs.
 */
export type CheckedChoice<Chosen extends string, Target extends string> = [Chosen] extends [Target]
  ? Choice<Chosen>
  : string extends Chosen
    ? Choice<Target> | Promise<string>
    : Choice<Target>;

/** What a branch looks at: a value, or a stream of its chunks. */
export type Seen<Value, Streamed> = Streamed extends true ? StreamReader<Value> : Value;
