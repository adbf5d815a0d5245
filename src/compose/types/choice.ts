import type { StreamReader } from "../../schema/stream/reader.js";

/** What a branch may choose: one of its targets, or several. */
export type Choice<Target> = Target | readonly Target[] | Promise<Target | readonly Target[]>;

/** What a branch looks at: a value, or a stream of its chunks. */
export type Seen<Value, Streamed> = Streamed extends true ? StreamReader<Value> : Value;
