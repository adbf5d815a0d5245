/** A process that runs the order graph: `node worker.mjs <settings as JSON>`. It prints each line that it adds to the record. */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { isInterrupt, KumikoError, type NodeContext } from "kumiko";
import type { ClosableStore } from "kumiko/compose";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import { type Dice, dice } from "./dice.js";
import { EffectsLog, type LogLine, nameOf } from "./effects-log.js";
import { type Effect, items, orderGraph, type Receipt } from "./order-graph.js";
import { ForgetfulStore, recordedStore } from "./recorded-store.js";
import type { Outcome, WorkerSettings } from "./worker-process.js";

const settings: WorkerSettings = JSON.parse(process.argv[2] ?? "");
const { life, id, answers = {}, holds = [], isStream = false, dieAt } = settings;

/** At once and whole, so that what is said before a kill can be read. */
const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`);
const input = createInterface({ input: process.stdin });
const closed = new Promise((resolve) => input.once("close", resolve));
const store = openStore();
let written = 0;
const log = new EffectsLog(settings.log, life, dieInTime);
const app = orderGraph(effectOf(dice(settings.seed)), recordedStore(store, log));

if (settings.isAsked === true) {
  say({ outcome: "ready" } satisfies Outcome);
  await lineOf("go");
}
say(await outcomeOf(settings.command === "invoke" ? invoke : resume));
if (holds.length > 0) await closed; // more may be told to it
input.close();
process.stdin.destroy();
await store.close();
log.close();

function openStore(): ClosableStore {
  const { sqlite, postgres, forgets } = settings.store;
  const opened = sqlite === undefined ? postgresStore({ connectionString: postgres ?? "" }) : sqliteStore(sqlite);
  return forgets === true ? new ForgetfulStore(opened) : opened;
}

/** The caller may not know whether its last call came to the point where the run is saved. */
async function invoke(): Promise<Receipt> {
  try {
    return await (isStream
      ? app.stream(items, { checkpointId: id }).concat()
      : app.invoke(items, { checkpointId: id }));
  } catch (error) {
    if (codeOf(error) !== "CHECKPOINT_PENDING") throw error;
    return resume();
  }
}

/** Nor whether its answers have arrived. */
async function resume(): Promise<Receipt> {
  try {
    return await goOn(answers);
  } catch (error) {
    if (codeOf(error) !== "ALREADY_ANSWERED") throw error;
    return goOn({});
  }
}

/** How a run was started or resumed before does not matter. */
function goOn(given: Readonly<Record<string, unknown>>): Promise<Receipt> {
  const { takeover } = settings;
  return isStream ? app.resumeStream(id, given, { takeover }).concat() : app.resume(id, given, { takeover });
}

async function outcomeOf(run: () => Promise<Receipt>): Promise<Outcome> {
  try {
    return { outcome: "done", receipt: await run() };
  } catch (error) {
    if (isInterrupt(error))
      return { outcome: "waits", questions: error.interrupts.map(({ id, info }) => ({ id, info })) };
    return { outcome: "failed", code: codeOf(error) ?? "", message: String(error) };
  }
}

function codeOf(error: unknown): string | undefined {
  return KumikoError.is(error) ? error.code : undefined;
}

/** An effect takes some turns, so that others come between its begin and its end. */
function effectOf(roll: Dice): Effect {
  return async (ctx, task, effect) => {
    const place = { task, effect, taskKey: ctx.taskKey };
    log.write("begin", place);
    if (holds.includes(nameOf(place))) await held(ctx, place);
    for (let turns = roll(4); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
    log.write("end", place);
  };
}

/** Goes on when it is told to, whatever becomes of the run meanwhile. */
async function held({ signal }: NodeContext, place: Pick<LogLine, "task" | "effect" | "taskKey">): Promise<void> {
  signal.addEventListener("abort", () => log.write("aborted", place));
  await lineOf(nameOf(place));
}

function lineOf(text: string): Promise<void> {
  return new Promise((resolve) => {
    input.on("line", (line) => {
      if (line === text) resolve();
    });
  });
}

function dieInTime(line: LogLine): void {
  say(line);
  written += 1;
  if (written === dieAt) process.kill(process.pid, "SIGKILL");
}
