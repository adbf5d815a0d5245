import { memoryCache } from "kumiko";
import { mistakes } from "./check.js";
import { Dice } from "./dice.js";
import { Drive, type Told } from "./drive.js";
import { expectedOf } from "./model.js";
import { normal } from "./normal.js";
import { randomCase } from "./random.js";
import { type Case, type FlowSpec, forever } from "./spec.js";
import { keyOf } from "./wiring.js";
import { World } from "./world.js";

const rejections: unknown[] = [];

/** Rejections that nobody handles belong to the case that runs; a digest is ready at once, so that nothing waits outside of the simulation. */
export function watchProcess(): void {
  process.on("unhandledRejection", (reason) => rejections.push(reason));
}

/** What is wrong with a case; nothing if all is well. */
export async function runCase(given: Case): Promise<readonly string[]> {
  const one = normal(given);
  const { way } = one;
  const runs = way.twice === undefined ? 1 : 2;
  const isAnswered = way.durability === undefined;
  const expected = expectedOf(one, runs, isAnswered);
  const permanent = new Set(
    expected.flatMap(({ failing }) => [...failing].flatMap(([place, is]) => (is ? [place] : []))),
  );
  const always = expected.some(({ fails }) => fails) ? alwaysFailing(one.flow) : [];
  const isPermanent = (place: string): boolean =>
    always.includes(place) || [...permanent].some((path) => path === place || path.endsWith(`/${place}`));
  const world = new World();
  const cache = memoryCache();
  const drives = Array.from({ length: runs }, (_, n) => new Drive(one, world, cache, `run ${n}`, isPermanent));
  rejections.length = 0;
  let work: Promise<Told[]>;
  if (way.twice === "beside") work = Promise.all(drives.map((drive) => drive.run()));
  else {
    work = (async () => {
      const told: Told[] = [];
      for (const drive of drives) told.push(await drive.run());
      return told;
    })();
  }
  const told = await simulated(world, work);
  if (told === undefined) return ["hangs"];
  await settle(world);
  return [
    ...mistakes(one, told, world, expected),
    ...drives.flatMap((drive) => drive.spanProblems()),
    ...world.complaints,
    ...rejections.map((reason) => `nobody handles ${reason}`),
  ];
}

/** Beside what always fails, a reader of its beginning may always fail as well. */
function alwaysFailing({ nodes }: FlowSpec, path = "", depth = 0): readonly string[] {
  return nodes.flatMap(({ fails, hangs, flow, fallback, caught }, index) => {
    if (fallback || caught) return [];
    const own = `${path}${keyOf(index, depth)}`;
    return [
      ...((fails ?? hangs)?.times === forever ? [own, keyOf(index, depth)] : []),
      ...(flow === undefined ? [] : alwaysFailing(flow, `${own}/`, depth + 1)),
    ];
  });
}

/** How often to look before something hangs; what is loaded on demand is loaded by then. */
const patience = 40;

/** Turns of the event loop without anything that happens, after which time may pass. */
const quiet = 12;

/** Lets time pass when nothing else happens. Gives nothing when nothing ever happens again. */
async function simulated<T>(world: World, work: Promise<T>): Promise<T | undefined> {
  let isOver = false;
  let failure: unknown;
  let result: T | undefined;
  work.then(
    (value) => {
      isOver = true;
      result = value;
    },
    (error) => {
      isOver = true;
      failure = error;
    },
  );
  for (let jumps = 0; !isOver && jumps < 3_000; ) {
    await rest(world, () => isOver);
    if (isOver) break;
    const next = world.clock.nextTimer;
    if (next !== undefined) {
      jumps++;
      world.clock.advance(next - world.clock.now());
      continue;
    }
    // what is loaded on demand takes real time
    if (!(await stirs(world, () => isOver))) return undefined;
  }
  if (failure !== undefined) throw failure;
  return result;
}

/** Whether something happens within some real time. */
async function stirs(world: World, isOver: () => boolean): Promise<boolean> {
  const seen = world.activity;
  for (let n = 0; n < patience; n++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (isOver() || world.activity !== seen || world.clock.nextTimer !== undefined) return true;
  }
  return false;
}

async function rest(world: World, isOver: () => boolean): Promise<void> {
  let seen = world.activity;
  for (let turns = 0; turns < quiet && !isOver(); turns++) {
    await new Promise(setImmediate);
    if (world.activity === seen) continue;
    seen = world.activity;
    turns = 0;
  }
}

async function settle(world: World): Promise<void> {
  await rest(world, () => false);
}

/** Loads what is loaded on demand. */
export async function warmUp(): Promise<void> {
  for (let seed = 1; seed < 60; seed++) await runCase(randomCase(new Dice(seed)));
}
