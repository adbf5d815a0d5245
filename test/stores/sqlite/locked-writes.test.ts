import Database from "libsql";
import { expect, it } from "vitest";
import { NewFiles } from "./new-files.js";

const files = new NewFiles();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

it("a write that succeeds while another one waits for a lock of the file is kept", async () => {
  const file = files.next();
  const store = files.store(file);
  const version = await store.put("one", bytes("1"), undefined);
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  const waiting = store.put("one", bytes("2"), version);
  other.exec("COMMIT");
  const made = await store.put("two", bytes("2"), undefined);
  expect(other.prepare("SELECT base FROM kumiko_checkpoints WHERE id = ?").all([Buffer.from("two")])).toEqual([
    { base: made },
  ]);
  await waiting;
  expect((await store.get("two"))?.version).toBe(made);
  other.close();
});
