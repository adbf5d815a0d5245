import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { type ConformanceCheck, expectSame, expectThat } from "../conformance.js";
import { type Append, appendOf, entriesOf, expectEntries, numbered } from "./append-stage.js";
import { bytes, expectText, type StoreChecks, type StoreStage, stored, wins } from "./store-stage.js";

const writers = 16;
const rounds = 10;

/** Checks for concurrent appends and other writes, through both handles. A store without `append` passes them. */
export const appendRaceChecks = (check: StoreChecks): ConformanceCheck[] => {
  const checkRace: CheckRace = (name, run) =>
    check(name, async (stage) => {
      const [append, other] = [appendOf(stage.store), appendOf(stage.other)];
      if (append !== undefined && other !== undefined) await run(stage, append, other);
    });
  return [...twoWriters(checkRace), ...manyWriters(checkRace)];
};

type CheckRace = (
  name: string,
  run: (stage: StoreStage, append: Append, otherAppend: Append) => Promise<void>,
) => ConformanceCheck;

const twoWriters = (check: CheckRace): ConformanceCheck[] => [
  check("lets either an append or a replacement of one version through", async ({ store, other, id }, append) => {
    for (let round = 0; round < rounds; round++) {
      const name = id(String(round));
      const version = await append(name, bytes("one"), await store.put(name, bytes("base"), undefined));
      const [appended] = await race(
        round,
        () => append(name, bytes("two"), version),
        () => other.put(name, bytes("second"), version),
      );
      await expectText(other, name, appended ? "base" : "second");
      await expectEntries(store, name, appended ? ["one", "two"] : []);
    }
  }),
  check("lets either an append or a deletion of one version through", async ({ store, other, id }, append) => {
    for (let round = 0; round < rounds; round++) {
      const name = id(String(round));
      const version = await append(name, bytes("one"), await store.put(name, bytes("base"), undefined));
      const [appended] = await race(
        round,
        () => append(name, bytes("two"), version),
        () => other.delete(name, version),
      );
      if (appended) await expectEntries(other, name, ["one", "two"]);
      else expectSame(await store.get(name), undefined, "The result of get after the deletion");
    }
  }),
  check("leaves nothing of an append that races with an unconditional delete", async ({ store, other, id }, append) => {
    for (let round = 0; round < rounds; round++) {
      const name = id(String(round));
      const version = await append(name, bytes("one"), await store.put(name, bytes("base"), undefined));
      const removed = round % 2 === 0 ? undefined : other.delete(name);
      const appended = wins(append(name, bytes("two"), version));
      await Promise.all([removed ?? other.delete(name), appended]);
      expectSame(await store.get(name), undefined, "The result of get after the deletion");
      await store.put(name, bytes("again"), undefined);
      await expectEntries(other, name, []);
    }
  }),
];

const manyWriters = (check: CheckRace): ConformanceCheck[] => [
  check("lets one of many writers append to a version", async ({ store, other, id }, append, otherAppend) => {
    let version = await store.put(id(), bytes("base"), undefined);
    const kept: string[] = [];
    for (let round = 0; round < 5; round++) {
      const texts = numbered(writers).map((text) => `${round}: ${text}`);
      const calls = texts.map((text, index) =>
        wins((index % 2 === 0 ? append : otherAppend)(id(), bytes(text), version)),
      );
      const won = await Promise.all(calls);
      const winners = texts.filter((_, index) => won[index]);
      expectSame(winners.length, 1, `How many of ${writers} writers at once succeeded`);
      kept.push(...winners);
      await expectEntries(other, id(), kept);
      version = (await stored(store, id())).version;
    }
  }),
  check("loses no entry when all writers retry", async ({ store, other, id }) => {
    await store.put(id(), bytes("base"), undefined);
    const names = numbered(8);
    await Promise.all(names.map((name, index) => appendThrice(index % 2 === 0 ? store : other, id(), name)));
    const found = await entriesOf(store, id());
    expectSame(found.length, 24, "The number of entries of 8 writers with 3 each");
    for (const name of names) {
      const own = found.filter((text) => text.startsWith(`${name}/`)).join();
      expectSame(own, [3, 2, 1].map((left) => `${name}/${left}`).join(), "The entries of one of them, in their order");
    }
  }),
  check("returns consistent data, entries and version during concurrent writes", async (stage, append) => {
    const seen = new Map<number, string>();
    let version = await stage.store.put(stage.id(), bytes("0"), undefined);
    for (let turn = 1; turn <= 40; turn++) {
      const write = turn % 4 === 0 ? stage.store.put : append;
      const text = turn % 4 === 0 ? String(turn) : `${turn - (turn % 4)}/${turn % 4}`;
      const read = () => expectOneMoment(stage.other, stage.id(), seen);
      const early = [read(), read()];
      const written = write.call(stage.store, stage.id(), bytes(text), version);
      const [next] = await Promise.all([written, read(), ...early]);
      version = next;
    }
  }),
];

/** Starts two writes concurrently, and returns which one succeeded. Exactly one must. */
async function race(
  round: number,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<[boolean, boolean]> {
  const early = round % 2 === 0 ? wins(first()) : wins(second());
  const late = round % 2 === 0 ? wins(second()) : wins(first());
  const [one, two] = await Promise.all(round % 2 === 0 ? [early, late] : [late, early]);
  expectSame(Number(one) + Number(two), 1, "How many of the two succeeded");
  return [one, two];
}

async function appendThrice(store: CheckpointStore, id: string, name: string): Promise<void> {
  for (let left = 3; left > 0; ) {
    const { version } = await stored(store, id);
    const append = appendOf(store);
    if (append !== undefined && (await wins(append(id, bytes(`${name}/${left}`), version)))) left -= 1;
  }
}

/** Expects a consistent read: entries name their base and their position, and a version never has two contents. */
async function expectOneMoment(store: CheckpointStore, id: string, seen: Map<number, string>): Promise<void> {
  const { data, appended = [], version } = await stored(store, id);
  const base = new TextDecoder().decode(data);
  const entries = appended.map((entry) => new TextDecoder().decode(entry));
  const content = [base, ...entries].join(", ");
  const fits = entries.every((entry, index) => entry === `${base}/${index + 1}`);
  expectThat(fits, `The result of get is not consistent: ${content}`);
  expectSame(seen.get(version) ?? content, content, `The content of version ${version}`);
  seen.set(version, content);
}
