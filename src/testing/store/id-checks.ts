import { type ConformanceCheck, expectSame, expectThat } from "../conformance.js";
import { bytes, expectText, type StoreChecks, type StoreStage } from "./store-stage.js";

/** Checks that any string is a valid id, and that only equal strings are the same id. */
export const idChecks = (check: StoreChecks): ConformanceCheck[] => [
  check("accepts ids of up to 512 characters", (stage) => {
    const left = 512 - stage.prefix.length;
    return expectApart(stage, ["a".repeat(left), "深".repeat(left), "😀".repeat(left)]);
  }),
  check("distinguishes long ids by their last character", (stage) =>
    expectApart(stage, ["a", "b"].map(longName(stage))),
  ),
  check("distinguishes ids that only look alike", (stage) =>
    expectApart(stage, [
      "order",
      "Order",
      "order ",
      " order",
      "order\n",
      "é",
      "e\u0301",
      "ß",
      "ss",
      "0",
      "00",
      "0.0",
      "",
    ]),
  ),
  check("accepts ids that have a special meaning elsewhere", (stage) =>
    expectApart(stage, [
      "'; DROP TABLE checkpoints; --",
      '"quoted"',
      "back\\slash",
      "../../etc/passwd",
      "a/b",
      "a\\b",
      "%",
      "_",
      "*",
      "?",
      "[a]",
      "$1",
      ":id",
      "{}",
      "\u{1f600}",
      "__proto__",
      "constructor",
      "null",
      "CON",
      "\t\r\n",
    ]),
  ),
  check("distinguishes ids by characters that databases often reject", (stage) =>
    expectApart(stage, [
      "a",
      "a\u0000",
      "a\u0000b",
      "a\u0001",
      "\u0000",
      "\u0001",
      "\ud800",
      "\ud801",
      "\udc00",
      "\ufffd",
      "\ud7ff",
    ]),
  ),
];

function longName({ prefix }: StoreStage): (last: string) => string {
  return (last) => "x".repeat(511 - prefix.length) + last;
}

/** Expects that each id keeps its own content, is listed unchanged, and is deleted alone. */
async function expectApart({ store, id, listed }: StoreStage, names: readonly string[]): Promise<void> {
  for (const name of names) await store.put(id(name), bytes(`content of ${name}`), undefined);
  for (const name of names) await expectText(store, id(name), `content of ${name}`);
  const seen = new Set(await listed());
  for (const name of names) expectThat(seen.has(name), `The id ${JSON.stringify(name)} is not listed as it was put.`);
  expectSame(seen.size, names.length, "The number of ids that are listed");
  const [first = "", ...rest] = names;
  await store.delete(id(first));
  expectSame(await store.get(id(first)), undefined, "The result of get for the deleted id");
  for (const name of rest) await expectText(store, id(name), `content of ${name}`);
}
