import { isInterrupt, KumikoError, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { Process } from "./stoppable.js";
import { compileOptions, type Example, examples } from "./stories.js";
import { WorkLog } from "./work-log.js";

const decoder = new TextDecoder();

/** What is stored when a run is stopped at a moment. */
async function documentAt(example: Example, at: number): Promise<unknown> {
  const rows = memoryStore();
  const process = new Process({ kind: "kill", at });
  const app = example.compile(new WorkLog(), process, compileOptions(process.store(rows), "step"));
  await Promise.race([app.invoke("in", { checkpointId: "run" }).catch(() => undefined), process.killed]);
  process.end();
  const row = await rows.get("run");
  return row && JSON.parse(decoder.decode(row.data));
}

/** What comes of a resume that finds this document. */
async function resumed(example: Example, document: unknown): Promise<unknown> {
  const rows = memoryStore();
  await rows.put("run", new TextEncoder().encode(JSON.stringify(document)), undefined);
  const process = new Process(undefined);
  const app = example.compile(new WorkLog(), process, compileOptions(rows, "step"));
  try {
    return { result: await app.resume("run", undefined, { takeover: true }) };
  } catch (error) {
    return error;
  }
}

const strange: readonly unknown[] = [null, -1, 1, "x", [], {}, true];

/** The document with one thing gone, doubled, or another in its place, for every thing in it. */
function mutations(document: unknown): unknown[] {
  const all: unknown[] = [];
  const walk = (value: unknown, rebuild: (part: unknown) => unknown): void => {
    for (const other of strange) all.push(rebuild(other));
    if (Array.isArray(value)) {
      value.forEach((part, index) => {
        all.push(rebuild(value.toSpliced(index, 1)), rebuild(value.toSpliced(index, 0, part)));
        walk(part, (other) => rebuild(value.with(index, other)));
      });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, part] of Object.entries(value)) {
        all.push(rebuild(Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))));
        walk(part, (other) => rebuild({ ...value, [key]: other }));
      }
    }
  };
  walk(document, (part) => part);
  return all;
}

describe("A document that somebody tampered with", { timeout: 60_000 }, () => {
  it.each(examples.map((example) => [example.name, example] as const))(
    "gives a result, the questions or an error of this library, and never nothing: %s",
    async (_name, example) => {
      const documents = [await documentAt(example, 6), await documentAt(example, 9)];
      for (const changed of documents.flatMap(mutations)) {
        const outcome = await resumed(example, changed);
        const fine = isInterrupt(outcome) || KumikoError.is(outcome) || !(outcome instanceof Error);
        expect({ changed, outcome, fine }).toEqual({ changed, outcome, fine: true });
      }
    },
  );
});
