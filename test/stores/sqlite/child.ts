/** What runs in processes of its own, for `child-process.ts`: `node child.mjs <what> <file> …`. */
import { writeSync } from "node:fs";
import { type CheckpointStore, KumikoError } from "kumiko";
import { sqliteStore } from "kumiko/sqlite";
import { checkpointStoreConformance } from "kumiko/testing";
import { appendTo, baseEvery, contentOf } from "./content.js";

const [what, file = "", ...rest] = process.argv.slice(2);

/** At once and whole, so that what a process said before it was killed can be read. */
const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`);

const programs: Record<string, () => Promise<void>> = {
  /** Only imports the store. */
  async import() {
    say(typeof sqliteStore);
  },
  /** Says what became of each check. */
  async conformance() {
    for (const { name, run } of checkpointStoreConformance(() => sqliteStore(file))) {
      say([name, await run().then(() => "holds", String)]);
    }
  },
  /** Writes until it is killed: rows of its own, and again and again one that all rounds share. */
  async write() {
    const store = sqliteStore(file);
    let { version } = (await store.get("shared")) ?? {};
    for (let count = 1; ; count++) {
      await store.put(`${rest[0]}/${count}`, contentOf(count), undefined);
      version = await store.put("shared", contentOf(count), version);
      if (count > 1) await store.delete(`${rest[0]}/${count - 1}`);
      say(count);
    }
  },
  /** Appends until it is killed, and again and again replaces what it has appended to. */
  async append() {
    const store = sqliteStore(file);
    const id = rest[0] ?? "";
    let version = await store.put(id, contentOf(0), undefined);
    for (let count = 1; ; count++) {
      version = await (count % baseEvery === 0
        ? store.put(id, contentOf(count), version)
        : appendTo(store, id, contentOf(count), version));
      say(count);
    }
  },
  /** Appends its name with a count, so many times, beside others who do the same. */
  async join() {
    const store = sqliteStore(file);
    for (let left = Number(rest[1]); left > 0; ) {
      const version = (await store.get("joined"))?.version;
      const text = new TextEncoder().encode(`${rest[0]}/${left}`);
      if (
        await wins(
          version === undefined ? store.put("joined", text, version) : appendTo(store, "joined", text, version),
        )
      )
        left -= 1;
    }
    await store.close();
    say("done");
  },
  /** Adds one to a number, so many times. */
  async add() {
    const store = sqliteStore(file);
    for (let left = Number(rest[0]); left > 0; ) if (await addOne(store)) left -= 1;
    await store.close();
    say("done");
  },
  /** Goes elsewhere before the first call. */
  async move() {
    const store = sqliteStore(file);
    process.chdir(rest[0] ?? "");
    await store.put("a", contentOf(1), undefined);
    await store.close();
    say("done");
  },
  /** Says what a get rejects with. */
  async fail() {
    const outcome = await sqliteStore(file)
      .get("a")
      .then(
        () => "no error",
        (error: unknown) => error,
      );
    if (!KumikoError.is(outcome)) throw outcome;
    say({ code: outcome.code, message: outcome.message });
  },
};

async function addOne(store: CheckpointStore): Promise<boolean> {
  const found = await store.get("counter");
  const next = Number(new TextDecoder().decode(found?.data)) + 1;
  return wins(store.put("counter", new TextEncoder().encode(String(next)), found?.version));
}

/** Whether nobody else was faster. */
async function wins(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (KumikoError.is(error) && error.code === "CHECKPOINT_CONFLICT") return false;
    throw error;
  }
}

await programs[what ?? ""]?.();
