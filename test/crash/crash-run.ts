import type { Dice } from "./dice.js";
import { readLog } from "./effects-log.js";
import type { Receipt } from "./order-graph.js";
import { answersTo, OrderRun, type Workshop } from "./order-run.js";
import type { Outcome, WorkerSettings } from "./worker-process.js";

export interface CrashSettings {
  /** Names the run. */
  readonly id: string;
  readonly roll: Dice;
  /** How many processes may be killed. */
  readonly kills: number;
  /** Processes end themselves at an exact line, so that it does not depend on the machine where. @default one in two */
  readonly isExact?: boolean;
}

export interface CrashedRun {
  /** `undefined` when the process that had it was killed before it could tell. */
  readonly receipt: Receipt | undefined;
  /** The processes that were killed. */
  readonly killed: ReadonlySet<number>;
}

const mostLives = 500;
/** A process that is killed comes this far at most: two lines of these are its claim. */
const mostLines = 18;

/** Runs an order to its end, in one process after another: each is killed somewhere, as long as kills are left. */
export async function crashRun(workshop: Workshop, { id, roll, kills, isExact }: CrashSettings): Promise<CrashedRun> {
  const run = new OrderRun(workshop, id);
  const killed = new Set<number>();
  let answers: Record<string, unknown> = {};
  for (let life = 1; life < mostLives; life++) {
    const kill = killed.size < kills ? { at: 1 + roll(mostLines), byItself: roll(2) === 0 || isExact === true } : {};
    const end = await live(run, { answers, isStream: roll(4) > 1 }, kill);
    if (end === undefined) killed.add(life);
    else if (end.outcome === "done") return { receipt: end.receipt, killed };
    else if (end.outcome === "waits") answers = answersTo(end);
    else if (isOver(run, end)) return { receipt: undefined, killed };
    else throw new Error(`Process ${life} of ${id} ended with ${JSON.stringify(end)}`);
  }
  throw new Error(`${id} does not come to its end in ${mostLives} processes.`);
}

interface Kill {
  /** After how many lines of the record; never without. */
  readonly at?: number;
  /** Exactly there. From outside it is somewhere behind. */
  readonly byItself?: boolean;
}

function live(run: OrderRun, how: Partial<WorkerSettings>, { at, byItself }: Kill): Promise<Outcome | undefined> {
  const hasBegun = readLog(run.log).some(({ kind }) => kind === "begin");
  const worker = run.start(hasBegun ? "resume" : "invoke", { ...how, dieAt: byItself ? at : undefined });
  worker.onLine = (count) => {
    if (byItself === false && count === at) void worker.kill();
  };
  return worker.end;
}

/** The checkpoint goes at the end of a run, just before its result is there. */
function isOver({ log }: OrderRun, end: Outcome): boolean {
  const isClosed = readLog(log).some(({ kind, task }) => kind === "end" && task === "close");
  return end.outcome === "failed" && end.code === "UNKNOWN_CHECKPOINT" && isClosed;
}
