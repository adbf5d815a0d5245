/**
 * A process of its own that uses a store: `client.ts <connection string> <command> …`. It prints one line for each thing it
 * has done. `KUMIKO_TEST_HOST` makes it one of another host.
 */
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { createInterface } from "node:readline";
import { KumikoError } from "kumiko";
import { postgresStore } from "kumiko/postgres";
import { processOwner } from "../../../src/checkpoint/journal/process-owner.js";
import { appendTo, bytes, contentOf, textOf } from "./rows.js";

const [connectionString = "", command = "", ...values] = process.argv.slice(2);
const host = process.env.KUMIKO_TEST_HOST;
if (host !== undefined) {
  os.hostname = () => host;
  syncBuiltinESMExports();
}
const store = postgresStore({ connectionString });
const commands: Record<string, (...values: string[]) => Promise<void>> = {
  create,
  increment,
  write,
  append,
  own,
  leave,
};
await commands[command]?.(...values);

/** Makes the table, at the same time as others do. */
async function create(): Promise<void> {
  await go();
  await store.get("nothing");
  say("created");
  await store.close();
}

async function increment(id: string, times: string): Promise<void> {
  await go();
  for (let left = Number(times); left > 0; ) {
    const found = await store.get(id);
    const count = Number(new TextDecoder().decode(found?.data)) + 1;
    const won = await store.put(id, bytes(String(count)), found?.version).then(() => true, isConflict);
    if (won) left -= 1;
  }
  say("incremented");
  await store.close();
}

/** Creates rows, and replaces one, until it is killed. Says what was acknowledged. */
async function write(prefix: string): Promise<void> {
  let version = await store.put(`${prefix}count`, bytes("0"), undefined);
  for (let n = 1; ; n++) {
    const id = `${prefix}${n}`;
    await store.put(id, bytes(contentOf(id)), undefined);
    say(id);
    version = await store.put(`${prefix}count`, bytes(String(n)), version);
    say(`count ${n}`);
  }
}

/** Appends to one row until it is killed, and replaces it now and then. Says how many it has written since. */
async function append(id: string): Promise<void> {
  let version = await store.put(id, bytes("0"), undefined);
  for (let n = 1; ; n++) {
    if (n % 6 === 0) version = await store.put(id, bytes(String(n)), version);
    else version = await appendTo(store, id, contentOf(`${id}/${n}`), version);
    say(String(n));
  }
}

/** Writes, and lives on. A line of input closes its store. */
async function own(id: string): Promise<void> {
  await store.put(id, bytes("claimed"), undefined);
  say(processOwner());
  await go();
  await store.close();
  say("closed");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** Has nothing more to do, and closes nothing. Says so when something holds it back all the same. */
async function leave(): Promise<void> {
  await store.put("left", bytes("a"), undefined);
  say(String(await textOf(store, "left")));
  setTimeout(() => say("held back"), 5_000).unref();
}

/** Waits for a line of input. */
async function go(): Promise<void> {
  say("ready");
  const lines = createInterface({ input: process.stdin });
  for await (const _line of lines) return;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function isConflict(error: unknown): false {
  if (KumikoError.is(error) && error.code === "CHECKPOINT_CONFLICT") return false;
  throw error;
}
