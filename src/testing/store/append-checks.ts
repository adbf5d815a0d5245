import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { type ConformanceCheck, expectSame, expectThat } from "../conformance.js";
import { type Append, appendOf, expectEntries, noise, numbered } from "./append-stage.js";
import {
  bytes,
  expectBytes,
  expectConflict,
  expectText,
  type StoreChecks,
  type StoreStage,
  stored,
} from "./store-stage.js";

/** Checks for appended entries. A store without `append` passes them. */
export const appendChecks = (check: StoreChecks): ConformanceCheck[] => {
  const checkAppend = (name: string, run: (stage: StoreStage, append: Append) => Promise<void>): ConformanceCheck =>
    check(name, async (stage) => {
      const append = appendOf(stage.store);
      if (append !== undefined) await run(stage, append);
    });
  return [...entryChecks(checkAppend), ...versionChecks(checkAppend), ...removalChecks(checkAppend)];
};

type CheckAppend = (name: string, run: (stage: StoreStage, append: Append) => Promise<void>) => ConformanceCheck;

const entryChecks = (check: CheckAppend): ConformanceCheck[] => [
  check(
    "returns entries separately from the data that was put, in the order of the appends",
    async ({ store, other, id }, append) => {
      const version = await store.put(id(), bytes("base"), undefined);
      expectSame((await stored(store, id())).appended?.length ?? 0, 0, "The number of entries before the first append");
      const first = await append(id(), bytes("one"), version);
      await append(id(), bytes("two"), first);
      for (const handle of [store, other]) {
        await expectText(handle, id(), "base");
        await expectEntries(handle, id(), ["one", "two"]);
      }
    },
  ),
  check(
    "keeps every byte of an entry, entries without any, and entries of 1 MB",
    async ({ store, other, id }, append) => {
      const all = Uint8Array.from({ length: 512 }, (_, index) => index);
      const entries = [bytes(""), all, noise(1_048_577, 3), new Uint8Array(), Uint8Array.of(0)];
      let version = await store.put(id(), new Uint8Array(), undefined);
      for (const entry of entries) version = await append(id(), entry, version);
      const found = await stored(other, id());
      expectBytes(found.data, new Uint8Array(), "The data that was put");
      expectSame(found.appended?.length, entries.length, "The number of entries");
      for (const [index, entry] of entries.entries()) expectBytes(found.appended?.[index], entry, `Entry ${index}`);
    },
  ),
  check("keeps the order of many entries", async ({ store, other, id }, append) => {
    let version = await store.put(id(), bytes("base"), undefined);
    const texts = numbered(many);
    for (const text of texts) version = await append(id(), bytes(text), version);
    await expectEntries(other, id(), texts);
    expectSame((await stored(other, id())).version, version, "The version that get returns");
  }),
  check("appends the bytes of a view, as they are when append is called", async ({ store, id }, append) => {
    const version = await store.put(id(), bytes("base"), undefined);
    const around = bytes("-----seen-----");
    const call = append(id(), around.subarray(5, 9), version);
    around.fill(0);
    await call;
    await expectEntries(store, id(), ["seen"]);
  }),
  check("returns a copy of entries to each caller", async ({ store, id }, append) => {
    const version = await store.put(id(), bytes("base"), undefined);
    const next = await append(id(), bytes("one"), version);
    const found = await stored(store, id());
    for (const part of [found.data, ...(found.appended ?? [])]) part.fill(0);
    await append(id(), bytes("two"), next);
    await expectText(store, id(), "base");
    await expectEntries(store, id(), ["one", "two"]);
  }),
  check("appends only to the given id", async ({ store, id, listed }, append) => {
    const names = ["a", "a\u0000", "A", "ab", ""];
    const versions = new Map<string, number>();
    for (const name of names) versions.set(name, await store.put(id(name), bytes(`base of ${name}`), undefined));
    for (const round of [1, 2])
      for (const name of names)
        versions.set(name, await append(id(name), bytes(`${name} ${round}`), versions.get(name) ?? 0));
    for (const name of names) {
      await expectText(store, id(name), `base of ${name}`);
      await expectEntries(store, id(name), [`${name} 1`, `${name} 2`]);
    }
    expectSame(JSON.stringify(await listed()), JSON.stringify(names.toSorted()), "The ids that are listed, each once");
  }),
];

const versionChecks = (check: CheckAppend): ConformanceCheck[] => [
  check("returns a new version with each append, as does get", async ({ store, id }, append) => {
    const version = await store.put(id(), bytes("base"), undefined);
    const next = await append(id(), bytes("one"), version);
    expectThat(Number.isSafeInteger(next), `A version must be an integer, but append returned ${String(next)}.`);
    expectThat(next !== version, "append returned the version from before.");
    expectSame((await stored(store, id())).version, next, "The version that get returns");
  }),
  check("rejects an append to another version", async ({ store, id }, append) => {
    const first = await store.put(id(), bytes("base"), undefined);
    const second = await append(id(), bytes("one"), first);
    await expectConflict(append(id(), bytes("late"), first), "Appending to the version of the base, after an append");
    const third = await append(id(), bytes("two"), second);
    await expectConflict(append(id(), bytes("late"), second), "Appending to an old version");
    await expectConflict(append(id(), bytes("early"), third + 1_000), "Appending to a version that never was");
    expectSame((await stored(store, id())).version, third, "The version afterwards");
    await expectEntries(store, id(), ["one", "two"]);
  }),
  check("rejects an append if nothing is stored", async ({ store, id }, append) => {
    await expectConflict(append(id(), bytes("one"), 1), "Appending to what was never there");
    expectSame(await store.get(id()), undefined, "The result of get afterwards");
    const version = await store.put(id(), bytes("base"), undefined);
    await store.delete(id());
    await expectConflict(append(id(), bytes("one"), version), "Appending to what was deleted");
    expectSame(await store.get(id()), undefined, "The result of get afterwards");
    await store.put(id(), bytes("again"), undefined);
    await expectConflict(append(id(), bytes("one"), version), "Appending to what was deleted and created again");
    await expectEntries(store, id(), []);
  }),
  check("replaces and deletes only the version of the last append", async (stage, append) => {
    const { store, id } = stage;
    for (const name of ["replaced", "deleted"]) {
      const base = await store.put(id(name), bytes("base"), undefined);
      const next = await append(id(name), bytes("one"), base);
      await expectConflict(store.put(id(name), bytes("late"), base), "Replacing the version of the base");
      await expectConflict(store.delete(id(name), base), "Deleting the version of the base");
      await expectConflict(store.put(id(name), bytes("late"), undefined), "Creating what exists");
      await expectText(store, id(name), "base");
      await expectEntries(store, id(name), ["one"]);
      if (name === "deleted") await store.delete(id(name), next);
      else await store.put(id(name), bytes("second"), next);
    }
    await expectText(store, id("replaced"), "second");
    expectSame(await store.get(id("deleted")), undefined, "The result of get for the deleted id");
  }),
  check("never uses a version twice for one id, across put and append", async ({ store, other, id }, append) => {
    const seen = new Set<number>();
    const note = (version: number): number => {
      expectThat(!seen.has(version), `Version ${version} was used twice.`);
      seen.add(version);
      return version;
    };
    for (let round = 0; round < 4; round++) {
      let version = note(await store.put(id(), bytes("created"), undefined));
      for (const text of numbered(round)) version = note(await append(id(), bytes(text), version));
      version = note(await other.put(id(), bytes("replaced"), version));
      for (const text of numbered(round)) version = note(await append(id(), bytes(text), version));
      await store.delete(id());
    }
  }),
];

const removalChecks = (check: CheckAppend): ConformanceCheck[] => [
  check("removes the entries when the base is replaced", async ({ store, other, id }, append) => {
    let version = await store.put(id(), bytes("first"), undefined);
    for (const text of numbered(3)) version = await append(id(), bytes(text), version);
    version = await other.put(id(), bytes("second"), version);
    await expectText(store, id(), "second");
    await expectEntries(store, id(), []);
    await append(id(), bytes("new"), version);
    await expectEntries(other, id(), ["new"]);
  }),
  check("removes the entries of a deleted id, and keeps those of others", async (stage, append) => {
    const { store, id } = stage;
    for (const way of ["at any version", "at this version"]) {
      const [gone, kept] = [id(`${way}/gone`), id(`${way}/kept`)];
      const version = await withEntries(store, append, gone, ["old"]);
      await withEntries(store, append, kept, ["kept"]);
      await store.delete(gone, way === "at any version" ? undefined : version);
      expectSame(await store.get(gone), undefined, `The result of get after a deletion ${way}`);
      await expectEntries(store, kept, ["kept"]);
      const again = await store.put(gone, bytes("again"), undefined);
      await expectEntries(store, gone, []);
      await append(gone, bytes("new"), again);
      await expectEntries(store, gone, ["new"]);
    }
  }),
  check("lists an id once, regardless of its entries", async (stage, append) => {
    for (const name of ["b", "a"]) await withEntries(stage.store, append, stage.id(name), numbered(3));
    expectSame(JSON.stringify(await stage.listed()), '["a","b"]', "The ids that are listed");
    await stage.store.delete(stage.id("a"));
    expectSame(JSON.stringify(await stage.listed()), '["b"]', "The ids that are listed after a deletion");
  }),
];

/** More than one or two pages of any database. */
const many = 1_100;

async function withEntries(
  store: CheckpointStore,
  append: Append,
  id: string,
  texts: readonly string[],
): Promise<number> {
  let version = await store.put(id, bytes("base"), undefined);
  for (const text of texts) version = await append(id, bytes(text), version);
  return version;
}
