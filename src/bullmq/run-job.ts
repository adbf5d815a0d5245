import type { Answers } from "../compose/options.js";
import type { DurableApp } from "../compose/segment.js";
import { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import { kindOf, list } from "../wording.js";

/** What a job holds, as JSON. Its name is the key of the app. */
export interface RunJob {
  /** The id of the run. @default the id of the job, which must not be a number then */
  readonly id?: string | undefined;
  /** For a turn of an agent: its thread. */
  readonly threadId?: string | undefined;
  /** For a turn of an agent: its request, by which it is known when the job comes twice. */
  readonly requestId?: string | undefined;
  /** For a turn of an agent: whose thread it is. */
  readonly userId?: string | undefined;
  /** The input of a new run. A stored run ignores it. */
  readonly input?: unknown;
  /** Answers by interrupt id. `runs(store).answer` is safer: it tells whoever answers what does not fit. */
  readonly answers?: Answers | undefined;
}

/** What {@link processor} uses of a `Job` of BullMQ. */
export interface QueueJob {
  /** The id of the job, which is that of the run if its data have none. */
  readonly id?: string | undefined;
  /** The key of the app. */
  readonly name: string;
  /** A {@link RunJob}, if it was written as one. */
  readonly data: unknown;
  /** How many attempts have failed. */
  readonly attemptsMade: number;
  /** Puts the job back until a time. */
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
}

type Segment = Parameters<DurableApp["segment"]>;

const fields = ["id", "threadId", "requestId", "userId", "input", "answers"];

/** What a job asks for. Queues are written by other programs, too: nothing is taken for granted. */
export function readJob(job: QueueJob): { readonly target: Segment[0]; readonly options: object } {
  const { data } = job;
  const fail = (what: string): never => {
    throw new KumikoError("INVALID_OPTION", `The data of a job "${job.name}" (id "${job.id}") is invalid: ${what}`);
  };
  if (!isFields(data)) return fail(`it must be an object (got ${kindOf(data)}).`);
  const unknown = Object.keys(data).filter((name) => !fields.includes(name));
  if (unknown.length > 0) return fail(`${list(unknown)} is unknown. What a run works on is its "input".`);
  const textOf = (name: string): string | undefined => {
    const value = data[name] ?? undefined;
    if (value === undefined || (typeof value === "string" && value !== "")) return value;
    return fail(`${name} must be a string that is not empty (got ${value === "" ? '""' : kindOf(value)}).`);
  };
  const [id, threadId, requestId, userId] = [textOf("id"), textOf("threadId"), textOf("requestId"), textOf("userId")];
  const { input, answers } = data;
  if (answers !== undefined && !isFields(answers)) fail(`answers must be an object (got ${kindOf(answers)}).`);
  const options = {
    ...("input" in data && { input }),
    ...(answers !== undefined && { answers }),
    ...(userId !== undefined && { userId }),
  };
  if (threadId !== undefined) {
    if (id !== undefined) fail("id and threadId exclude each other.");
    return requestId === undefined
      ? fail("a threadId needs a requestId.")
      : { target: { threadId, requestId }, options };
  }
  if (requestId !== undefined || userId !== undefined) fail("requestId and userId need a threadId.");
  if (id !== undefined) return { target: id, options };
  if (job.id === undefined || /^\d+$/.test(job.id)) {
    return fail(
      "it has no id, and the id of the job is a number, which comes again once the queue is emptied. Add it with a jobId, or with data.id.",
    );
  }
  return { target: job.id, options };
}
