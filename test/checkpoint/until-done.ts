import { type CheckpointStore, type Interrupt, isInterrupt, KumikoError, memoryStore } from "kumiko";
import { Process, type Stop, Stopped } from "./stoppable.js";

/** What is run: any compiled graph. */
export interface Resumable<I, O> {
  invoke(input: I, options: object): Promise<O>;
  resume(id: string, answers: Readonly<Record<string, unknown>> | undefined, options: object): Promise<O>;
}

export interface Story<I, O> {
  /** Compiles the graph anew, as another process would. */
  readonly compile: (process: Process, store: CheckpointStore) => Resumable<I, O>;
  readonly input: I;
  /** One for each process, until there are no more. */
  readonly stops?: readonly Stop[];
  /** What to answer. @default the `info` of the question */
  readonly answer?: (question: Interrupt) => unknown;
  /** How many of the places that wait to answer at once. @default all */
  readonly answersAtOnce?: number;
  /** The store says that processes before are gone; else each takes over. @default false */
  readonly ownersGone?: boolean;
}

export interface Told<O> {
  readonly result: O;
  /** How many processes it took. */
  readonly processes: number;
  /** Whether each stop came before the end. */
  readonly allStopped: boolean;
  /** Ids that are left in the store. */
  readonly left: readonly string[];
}

const id = "run";
const killed = Symbol("killed");

/** Runs until it is done, in one process after the other; what waits for an answer gets it. */
export async function untilDone<I, O>(story: Story<I, O>): Promise<Told<O>> {
  const { stops = [], answersAtOnce = Number.POSITIVE_INFINITY } = story;
  const rows = memoryStore();
  const open = new Map<string, Interrupt>();
  let stopped = 0;
  for (let processes = 1; processes <= 300; processes++) {
    const process = new Process(stops[processes - 1]);
    const outcome = await attempt(story, process, rows, answersTo([...open.values()].slice(0, answersAtOnce), story));
    if (process.wasStopped) stopped += 1;
    process.end();
    open.clear();
    if ("result" in outcome) {
      const left: string[] = [];
      for await (const name of rows.list("")) left.push(name);
      return { result: outcome.result, processes, allStopped: stopped === stops.length, left };
    }
    for (const question of outcome.waits) open.set(question.id, question);
  }
  throw new Error("It is never done.");
}

async function attempt<I, O>(
  { compile, input, ownersGone = false }: Story<I, O>,
  process: Process,
  rows: CheckpointStore,
  answers: Readonly<Record<string, unknown>> | undefined,
): Promise<{ readonly result: O } | { readonly waits: readonly Interrupt[] }> {
  const app = compile(process, process.store(rows, ownersGone ? () => false : undefined));
  const options = { signal: process.signal, control: process.control, takeover: !ownersGone };
  try {
    const result = await Promise.race([goOn(), process.killed.then(() => killed)]);
    return result === killed ? { waits: [] } : { result: result as O };
  } catch (error) {
    if (isInterrupt(error)) return { waits: error.interrupts.filter(isQuestion) };
    if (process.wasStopped && comesOfStop(error)) return { waits: [] };
    throw error;
  }

  /** A new run where none has begun, or one was stopped before it had anything to keep. */
  async function goOn(): Promise<O> {
    if ((await rows.get(id)) === undefined) return app.invoke(input, { ...options, checkpointId: id });
    try {
      return await app.resume(id, answers, options);
    } catch (error) {
      if (!KumikoError.is(error) || error.code !== "UNKNOWN_CHECKPOINT") throw error;
      return app.invoke(input, { ...options, checkpointId: id, forceNewRun: true });
    }
  }
}

/** Not a stop that goes on without an answer. */
function isQuestion({ info }: Interrupt): boolean {
  if (typeof info !== "object" || info === null || !("kind" in info)) return true;
  return info.kind !== "requested" && info.kind !== "before_after";
}

function answersTo<I, O>(
  questions: readonly Interrupt[],
  { answer = ({ info }) => info }: Story<I, O>,
): Readonly<Record<string, unknown>> | undefined {
  return questions.length === 0
    ? undefined
    : Object.fromEntries(questions.map((question) => [question.id, answer(question)]));
}

function comesOfStop(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (current instanceof Stopped) return true;
  return KumikoError.is(error) && error.code === "CHECKPOINT_LOST";
}
