import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckpointStore, userMessage } from "kumiko";
import { threads } from "kumiko/agents";
import Database from "libsql";
import type pg from "pg";
import { type Dice, dice } from "../../../crash/dice.js";
import { openNotes, stormAgent } from "./storm-agent.js";
import { listed, lostIn, mistakesIn, mistakesInLists, mistakesInLog, type Snapshot } from "./storm-checks.js";
import { readStorm, type StormLine, type StormSettings } from "./storm-log.js";

/** Where processes meet. */
export interface Sea {
  readonly folder: string;
  readonly script: string;
  readonly settings: StormSettings["store"];
  /** All that is stored at one moment. */
  snapshot(): Promise<Snapshot>;
  /** A store of the tests' own. */
  open(): Promise<CheckpointStore & { close(): Promise<void> }>;
}

export interface Storm {
  readonly seed: number;
  readonly operations: number;
}

/** What became of a storm. */
export interface Aftermath {
  readonly mistakes: readonly string[];
  readonly lines: readonly StormLine[];
  readonly kills: number;
  readonly freezes: number;
  readonly looks: number;
}

const running = new Set<ChildProcess>();

/** Ends what a test has left running. */
export function endStorms(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Two or three processes do random things to a few threads; some are killed, others frozen for a while. */
export async function storm(sea: Sea, { seed, operations }: Storm): Promise<Aftermath> {
  const roll = dice(seed);
  const log = join(sea.folder, `${sea.settings.sqlite === undefined ? "postgres" : "sqlite"}-${seed}.log`);
  if (existsSync(log)) rmSync(log);
  writeFileSync(log, "");
  const processes = 2 + roll(2);
  const ids = Array.from({ length: [1, 1, 2, 4][roll(4)] ?? 1 }, (_, index) => `t${index}`);
  const killed = new Set<number>();
  const mistakes = new Set<string>();
  const state = { life: 0, kills: 0, freezes: 0, looks: 0 };
  const hasKills = roll(3) > 0;
  const crews = Array.from({ length: processes }, (_, index) => crew(Math.ceil(operations / processes) + index));

  async function crew(count: number): Promise<void> {
    let left = count;
    while (left > 0) {
      state.life += 1;
      const life = state.life;
      const lanes = 2 + roll(3);
      const settings: StormSettings = {
        store: sea.settings,
        log,
        life,
        seed: seed * 100 + life,
        operations: left,
        lanes,
        threads: ids,
      };
      const signal = await work(settings);
      if (signal !== "SIGKILL") return;
      killed.add(life);
      left -= readStorm(log).filter((line) => line.life === life && line.k === "call").length;
    }
  }

  async function work(settings: StormSettings): Promise<NodeJS.Signals | null> {
    const child = spawn(process.execPath, [sea.script, JSON.stringify(settings)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    running.add(child);
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const [code, signal] = await once(child, "close");
    running.delete(child);
    if (signal !== "SIGKILL" && (code !== 0 || stderr !== ""))
      mistakes.add(`process ${settings.life} ended with ${code}: ${stderr}`);
    return signal;
  }

  let isOver = false;
  const ended = Promise.all(crews).finally(() => {
    isOver = true;
  });
  const weather = async (): Promise<void> => {
    while (!isOver) {
      await pause(30 + roll(40));
      state.looks += 1;
      const [mistake] = mistakesIn(await sea.snapshot());
      if (mistake !== undefined && mistakes.size < 5) mistakes.add(`meanwhile: ${mistake}`);
      if (!hasKills) continue;
      const child = [...running][roll(Math.max(1, running.size))];
      const what = roll(30);
      if (child === undefined || what > 2) continue;
      if (what > 0) {
        state.freezes += 1;
        child.kill("SIGSTOP");
        setTimeout(() => child.kill("SIGCONT"), 50 + roll(700));
      } else {
        state.kills += 1;
        child.kill("SIGKILL");
      }
    }
  };
  await Promise.all([ended, weather()]);
  const lines = readStorm(log);
  for (const mistake of mistakesInLog(lines, killed)) mistakes.add(mistake);
  for (const mistake of lostIn(lines, await sea.snapshot())) mistakes.add(mistake);
  for (const mistake of await calm(sea, { log, roll, hasKills })) mistakes.add(mistake);
  return { mistakes: [...mistakes], lines, ...state };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** After a storm: all threads are as lists say, go on, can be stopped, and leave nothing behind. */
async function calm(
  sea: Sea,
  { log, roll, hasKills }: { readonly log: string; readonly roll: Dice; readonly hasKills: boolean },
): Promise<string[]> {
  const mistakes: string[] = [];
  const store = await sea.open();
  try {
    const before = await sea.snapshot();
    mistakes.push(
      ...mistakesIn(before, { isCalm: !hasKills }),
      ...(await mistakesInLists(store, before, { hasKills })),
    );
    const all = threads(store);
    const agent = stormAgent(
      store,
      openNotes({ store: sea.settings, log, life: 0, seed: 0, operations: 0, lanes: 0, threads: [] }),
    );
    for (const { id, interrupts } of await listed(all)) {
      const info = await all.info(id);
      const turns = [];
      for await (const turn of all.turns(id)) turns.push(turn);
      const status = turns.at(-1)?.status ?? "";
      const canStop = status === "waiting" || status === "cut_off";
      if (roll(2) === 0) {
        const wasStopped = await all.stop(id);
        if (wasStopped !== canStop) mistakes.push(`${id} was ${status}, and stop returned ${wasStopped}`);
        let last = "";
        for await (const turn of all.turns(id)) last = turn.status;
        if (canStop && last !== "aborted") mistakes.push(`${id} was stopped while ${status}, and is ${last}`);
        if ((await all.info(id))?.interrupts.length !== 0) mistakes.push(`${id} was stopped, and waits`);
      }
      const options = info?.userId === undefined ? {} : { userId: info.userId };
      const prompt = userMessage(JSON.stringify({ n: `last-${id}`, rounds: [["fast"]], end: "text" }), {
        id: `last-${id}`,
      });
      const { finishReason } = await agent.generate(prompt, { ...options, threadId: id, onWaiting: "close" });
      if (finishReason !== "stop") mistakes.push(`${id} goes on with ${finishReason}, ${interrupts.length}`);
    }
    const after = await sea.snapshot();
    mistakes.push(...mistakesIn(after, { isCalm: !hasKills }), ...(await mistakesInLists(store, after, { hasKills })));
    const hasUsers = roll(2) === 0;
    if (hasUsers) for (const user of ["ann", "bob"]) await all.deleteUser(user);
    for (const { id } of await listed(all)) await all.delete(id);
    if (!hasUsers) for (const user of ["ann", "bob"]) await all.deleteUser(user);
    // a thread whose process was killed before its first turn is in no list: a sweep removes its head
    if (hasKills) await all.sweep({ doneMs: 0 });
    const left: string[] = [];
    for await (const key of store.list("~")) left.push(key);
    if (left.length > 0) mistakes.push(`left behind: ${left.join(", ")}`);
    for (const key of left) await store.delete(key);
  } finally {
    await store.close();
  }
  return mistakes;
}

/** Reads a SQLite file as it is at one moment. */
export function snapshotOfFile(file: string): () => Promise<Snapshot> {
  return async () => {
    if (!existsSync(file)) return new Map();
    const database = new Database(file);
    try {
      database.exec("PRAGMA busy_timeout = 5000");
      const isThere =
        database.prepare("SELECT name FROM sqlite_master WHERE name = 'kumiko_checkpoints'").all().length > 0;
      const rows = isThere ? database.prepare("SELECT id, data FROM kumiko_checkpoints ORDER BY id").all() : [];
      return snapshotOf((rows as { id: Buffer; data: Buffer }[]).map(({ id, data }) => [id, data]));
    } finally {
      database.close();
    }
  };
}

/** The same of a table in PostgreSQL. */
export function snapshotOfTable(pool: pg.Pool): () => Promise<Snapshot> {
  return async () => {
    try {
      const { rows } = await pool.query<{ id: Buffer; base: Buffer }>(
        "SELECT id, base FROM kumiko_checkpoints ORDER BY id",
      );
      return snapshotOf(rows.map(({ id, base }) => [id, base]));
    } catch (error) {
      // nobody has made the table yet
      if ((error as { code?: string }).code === "42P01") return new Map();
      throw error;
    }
  };
}

const snapshotOf = (rows: readonly (readonly [Buffer, Buffer])[]): Snapshot =>
  new Map(rows.map(([id, data]) => [Buffer.from(id).toString(), Buffer.from(data).toString()]));
