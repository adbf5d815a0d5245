import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { type ConformanceCheck, expectSame } from "../conformance.js";
import { bytes, expectText, type StoreChecks, type StoreStage, stored, wins } from "./store-stage.js";

const writers = 16;

/** Checks for concurrent writers, through both handles: one of them must win. */
export const raceChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("lets one of many writers create", async (stage) => {
    for (let round = 0; round < 5; round++) {
      const id = stage.id(String(round));
      const write = (store: CheckpointStore, text: string) => store.put(id, bytes(text), undefined);
      await expectText(stage.store, id, await winnerOf(stage, write));
    }
  }),
  check("lets one of many writers replace a version", async (stage) => {
    let version = await stage.store.put(stage.id(), bytes("first"), undefined);
    for (let round = 0; round < 5; round++) {
      const write = (store: CheckpointStore, text: string) => store.put(stage.id(), bytes(text), version);
      await expectText(stage.store, stage.id(), await winnerOf(stage, write));
      version = (await stored(stage.store, stage.id())).version;
    }
  }),
  check("lets one of many delete a version", async (stage) => {
    const version = await stage.store.put(stage.id(), bytes("first"), undefined);
    await winnerOf(stage, (store) => store.delete(stage.id(), version));
    expectSame(await stage.store.get(stage.id()), undefined, "The result of get afterwards");
  }),
  check("lets either a replacement or a deletion of one version through", async ({ store, other, id }) => {
    for (let round = 0; round < 10; round++) {
      const name = id(String(round));
      const version = await store.put(name, bytes("first"), undefined);
      const replace = () => wins(store.put(name, bytes("second"), version));
      const remove = () => wins(other.delete(name, version));
      const first = round % 2 === 0 ? replace() : remove();
      const second = round % 2 === 0 ? remove() : replace();
      const [replaced, deleted] = await Promise.all(round % 2 === 0 ? [first, second] : [second, first]);
      expectSame(Number(replaced) + Number(deleted), 1, "How many of the two succeeded");
      if (replaced) await expectText(other, name, "second");
      else expectSame(await store.get(name), undefined, "The result of get after the deletion");
    }
  }),
  check("loses no update when all writers retry", async ({ store, other, id }) => {
    await store.put(id(), bytes("0"), undefined);
    const additions = Array.from({ length: 8 }, (_, n) => addThrice(n % 2 === 0 ? store : other, id()));
    await Promise.all(additions);
    await expectText(store, id(), "24");
  }),
  check("never shows two contents under one version", async ({ store, other, id }) => {
    const contents = new Map<number, string>();
    let version = await store.put(id(), bytes("0"), undefined);
    for (let round = 1; round <= 20; round++) {
      const [written, read] = await Promise.all([store.put(id(), bytes(String(round)), version), stored(other, id())]);
      const text = new TextDecoder().decode(read.data);
      expectSame(contents.get(read.version) ?? text, text, `The content of version ${read.version}`);
      contents.set(read.version, text);
      contents.set(written, String(round));
      version = written;
    }
  }),
];

/** Starts many writes concurrently, and returns the text of the one that succeeded. Exactly one must. */
async function winnerOf(
  { store, other }: StoreStage,
  write: (store: CheckpointStore, text: string) => Promise<unknown>,
): Promise<string> {
  const texts = Array.from({ length: writers }, (_, index) => `writer ${index}`);
  const won = await Promise.all(texts.map((text, index) => wins(write(index % 2 === 0 ? store : other, text))));
  const winners = texts.filter((_, index) => won[index]);
  expectSame(winners.length, 1, `How many of ${writers} concurrent writers succeeded`);
  return winners[0] ?? "";
}

async function addThrice(store: CheckpointStore, id: string): Promise<void> {
  for (let left = 3; left > 0; ) {
    const { data, version } = await stored(store, id);
    const next = Number(new TextDecoder().decode(data)) + 1;
    if (await wins(store.put(id, bytes(String(next)), version))) left -= 1;
  }
}
