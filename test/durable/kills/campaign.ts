import { readFileSync, writeFileSync } from "node:fs";
import type { CheckpointStore } from "kumiko";
import { runs } from "kumiko/durable";
import { connect } from "../../bullmq/connect.js";
import type { Effect } from "./apps.js";
import { Crew } from "./crew.js";
import { toQueue, toWorkers } from "./delivery.js";
import { Feed, pause } from "./feed.js";
import type { JobQueue } from "./worker.js";

/** What happens to three workers. */
export interface Troubles {
  /** How many are killed, and replaced. */
  readonly kills: number;
  /** How many are frozen for half a second to five. */
  readonly freezes: number;
  /** How many are stopped as a deployment does, and replaced. */
  readonly stops: number;
  /** How often the database is away for four seconds. */
  readonly outages: number;
}

/** Where workers work. */
export interface Place {
  readonly program: string;
  readonly log: string;
  /** A connection string, or a file of SQLite, and the store that it opens. */
  readonly address: string;
  readonly store: CheckpointStore;
  /** Without it they are workers of `kumiko/durable`. */
  readonly queue?: JobQueue | undefined;
  /** Takes the database away for some time. */
  away(milliseconds: number): Promise<void>;
}

export interface Aftermath {
  /** Runs and turns that have ended. */
  readonly ended: number;
  /** What has not ended, or otherwise than it should. */
  readonly missing: readonly string[];
  /** Tasks that began again although nobody had killed the process that had begun them, or after they were saved. */
  readonly mistakes: readonly string[];
  /** What workers complained about, and those that ended by themselves. */
  readonly complaints: readonly string[];
  /** Runs that were given up because of `maxAttempts`; somebody has tried them again. */
  readonly abandoned: number;
  readonly tasks: number;
  readonly repetitions: number;
  /** How often one task was repeated at most. */
  readonly worst: number;
  /** How many tasks were repeated because of one kill, at most. */
  readonly most: number;
}

/** Lets three workers work, makes trouble, and waits until all runs have ended. */
export async function campaign(place: Place, troubles: Troubles): Promise<Aftermath> {
  const { program, log, address, store } = place;
  writeFileSync(log, "");
  const crew = new Crew(program, { store: address, log, queue: place.queue, mayBeAway: troubles.outages > 0 });
  const queue = place.queue && connect(place.queue.address).queue(place.queue.name);
  const feed = new Feed(store, queue === undefined ? toWorkers(runs(store), crew) : toQueue(queue));
  if (queue === undefined) crew.greetings = () => feed.openTurns.map((request) => JSON.stringify(request));
  try {
    const ending = new AbortController();
    const feeding = keepFeeding(feed, ending.signal);
    await Promise.all([crew.hire(), crew.hire(), crew.hire()]);
    await Promise.race([feeding, makeTrouble(crew, place, troubles)]);
    ending.abort();
    await feeding;
    return {
      ended: feed.ended,
      missing: [...feed.wrong, ...(await feed.stuck())],
      complaints: crew.complaints,
      abandoned: feed.abandoned,
      ...readLog(log, crew.killed),
    };
  } finally {
    await crew.dismiss();
    await queue?.close();
  }
}

/** How long nothing may end before what is open counts as lost, in looks at everything. */
const patience = 600;

async function keepFeeding(feed: Feed, ending: AbortSignal): Promise<void> {
  let idle = 0;
  while (idle < patience && !(ending.aborted && feed.open.length === 0)) {
    if (!ending.aborted) await feed.topUp();
    const before = feed.ended;
    await feed.answer();
    await feed.look(ending.aborted);
    idle = feed.ended === before ? idle + 1 : 0;
    await pause(100);
  }
}

async function makeTrouble(crew: Crew, place: Place, troubles: Troubles): Promise<void> {
  const { kills, freezes, stops, outages } = troubles;
  const count = Math.max(kills, stops);
  let outage: Promise<void> | undefined;
  for (let n = 0; n < count; n++) {
    await pause(200 + Math.random() * 600);
    if (isDue(outages, n, count)) {
      await outage;
      outage = place.away(4_000);
    }
    if (isDue(freezes, n, count)) crew.freeze(500 + Math.random() * 4_500);
    if (isDue(kills, n, count)) await Promise.all([crew.kill(), crew.hire()]);
    if (isDue(stops, n, count)) await Promise.all([crew.stop(), crew.hire()]);
  }
  await outage;
}

/** Spreads so many times over all rounds. */
const isDue = (times: number, round: number, rounds: number): boolean =>
  Math.floor(((round + 1) * times) / rounds) > Math.floor((round * times) / rounds);

type Reading = Pick<Aftermath, "mistakes" | "tasks" | "repetitions" | "worst" | "most">;

function readLog(log: string, killed: ReadonlyMap<number, number>): Reading {
  const effects: Effect[] = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const tasks = new Map<string, Effect[]>();
  /** How far each run has come. */
  const stages = new Map<string, number>();
  const perKill = new Map<number, number>();
  const mistakes: string[] = [];
  for (const effect of effects) {
    const { run, task, stage, at, life } = effect;
    const name = `${run}/${task}`;
    const former = tasks.get(name) ?? [];
    const last = former.at(-1);
    tasks.set(name, [...former, effect]);
    const reached = stages.get(run) ?? 0;
    if (stage < reached) mistakes.push(`${name} in ${life}: what comes after it had begun`);
    stages.set(run, Math.max(reached, stage));
    if (last === undefined) continue;
    if (!((killed.get(last.life) ?? Number.POSITIVE_INFINITY) <= at)) {
      mistakes.push(`${name} in ${life}: ${last.life} had begun it ${at - last.at} ms ago`);
    }
    perKill.set(last.life, (perKill.get(last.life) ?? 0) + 1);
  }
  const repeated = [...tasks.values()].map((all) => all.length - 1);
  return {
    mistakes,
    tasks: tasks.size,
    repetitions: repeated.reduce((sum, times) => sum + times, 0),
    worst: Math.max(0, ...repeated),
    most: Math.max(0, ...perKill.values()),
  };
}
