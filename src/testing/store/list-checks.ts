import { byCodePoint } from "../../checkpoint/journal/checkpoint-id.js";
import { type ConformanceCheck, expectSame } from "../conformance.js";
import { bytes, type StoreChecks, type StoreStage } from "./store-stage.js";

/** Checks for the order and the prefixes of lists. */
export const listChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("lists nothing if nothing is stored", async ({ listed }) =>
    expectSame((await listed()).length, 0, "Ids listed"),
  ),
  check("lists ids in ascending order of their code points", async (stage) => {
    // UTF-16 sorts U+1F600 before U+FF5E; locales sort "a" before "B", and "ä" next to "a"
    const ascending = ["", "10", "9", "B", "a", "a b", "aa", "b", "ä", "\uff5e", "\u{1f600}"];
    await putAll(stage, ascending.toReversed());
    expectListed(await stage.listed(), ascending);
  }),
  check("lists ids that start with the prefix, including the prefix itself", async (stage) => {
    await putAll(stage, ["run", "run/1", "run/2", "runner", "ru", "other/run/"]);
    expectListed(await stage.listed("run/"), ["run/1", "run/2"]);
    expectListed(await stage.listed("run"), ["run", "run/1", "run/2", "runner"]);
  }),
  check("takes a prefix literally", async (stage) => {
    await putAll(stage, ["a%b", "a_b", "a*b", "a?b", "a[b]", "a\\b", "aXb", "A%b", "😀1", "😀2"]);
    for (const wildcard of ["a%", "a_", "a*", "a?", "a[", "a\\"]) {
      const expected = ["a%b", "a_b", "a*b", "a?b", "a[b]", "a\\b"].filter((name) => name.startsWith(wildcard));
      expectListed(await stage.listed(wildcard), expected);
    }
    expectListed(await stage.listed("😀"), ["😀1", "😀2"]);
    expectListed(await stage.listed("%"), []);
  }),
  check("lists every id for the empty prefix", async (stage) => {
    const names = ["", "a", "b", "\u{1f600}"];
    await putAll(stage, names);
    const all = await listedFor(stage, "");
    expectListed(
      all.filter((id) => id.startsWith(stage.prefix)),
      names.map((name) => stage.id(name)),
    );
    expectListed(all, all.toSorted(byCodePoint));
  }),
  check("lists ids that begin with ~ only for a prefix that does", async (stage) => {
    const reserved = ["~", "~b"].map((start) => start + stage.prefix);
    const others = ["a", "}", "\u007f"].map((start) => start + stage.prefix);
    for (const id of [...reserved, ...others]) await stage.store.put(id, bytes(id), undefined);
    const listed = async (prefix: string) => (await listedFor(stage, prefix)).filter((id) => id.endsWith(stage.prefix));
    expectListed(await listed(""), others);
    expectListed(await listed("~"), reserved.toSorted(byCodePoint));
    expectListed(await listed(`~${stage.prefix}`), [`~${stage.prefix}`]);
  }),
  check("does not list deleted ids", async (stage) => {
    await putAll(stage, ["a", "b", "c"]);
    await stage.store.delete(stage.id("b"));
    expectListed(await stage.listed(), ["a", "c"]);
  }),
  check("lists many ids, each once", async (stage) => {
    const names = Array.from({ length: 1_100 }, (_, index) => String(index).padStart(5, "0"));
    await putAll(stage, names);
    expectListed(await stage.listed(), names);
  }),
  check(
    "can be changed while ids are listed, and listing can stop early",
    async ({ store, other, id, listed, prefix }) => {
      for (const name of ["a", "b", "c", "d"]) await store.put(id(name), bytes(name), undefined);
      for await (const _id of store.list(prefix)) break;
      let count = 0;
      for await (const found of store.list(prefix)) {
        await other.delete(found);
        count += 1;
      }
      expectSame(count, 4, "The number of ids that were listed while each was deleted");
      expectListed(await listed(), []);
    },
  ),
];

async function listedFor({ other }: StoreStage, prefix: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of other.list(prefix)) ids.push(id);
  return ids;
}

async function putAll({ store, other, id }: StoreStage, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name, index) => (index % 2 ? store : other).put(id(name), bytes(name), undefined)));
}

function expectListed(actual: readonly string[], expected: readonly string[]): void {
  expectSame(JSON.stringify(actual), JSON.stringify(expected), "The ids that are listed");
}
