import { inspect } from "node:util";
import type { RunInfo } from "kumiko";
import { expect, it } from "vitest";
import { RunRecord } from "../../src/callbacks/run-info.js";

const place = { address: "runnable:agent" };

function child(parent: RunInfo, name: string): RunRecord {
  return new RunRecord(parent, "lambda", name, "", { address: `runnable:agent;node:${name}` });
}

it("gives a root a random id of 128 bits, and no parent", () => {
  const [a, b] = [1, 2].map(() => new RunRecord(undefined, "graph", "", "", place));
  expect(a?.runId).toMatch(/^[0-9a-f]{32}$/);
  expect(a?.runId).not.toBe(b?.runId);
  expect(a?.parentRunId).toBeUndefined();
});

it("gives every run inside a root an id of its own, which stays the same", () => {
  const root = new RunRecord(undefined, "graph", "", "", place);
  const first = child(root, "first");
  const second = child(root, "second");
  const inner = child(first, "inner");
  const ids = [root, first, second, inner].map(({ runId }) => runId);
  expect(new Set(ids).size).toBe(4);
  expect(ids.every((id) => id.startsWith(root.runId))).toBe(true);
  expect([root, first, second, inner].map(({ runId }) => runId)).toEqual(ids);
});

it("knows the id of the run around it, whichever is read first", () => {
  const root = new RunRecord(undefined, "graph", "", "", place);
  const outer = child(root, "outer");
  const inner = child(outer, "inner");
  expect(inner.parentRunId).toBe(outer.runId);
  expect(outer.parentRunId).toBe(root.runId);
});

it("has a random id under a parent that the library did not make", () => {
  const foreign: RunInfo = {
    ...{ runId: "trace-7", parentRunId: undefined, name: "job", type: "" },
    ...{ component: "graph", address: "job" },
  };
  const run = child(foreign, "node");
  expect(run.runId).toMatch(/^[0-9a-f]{32}$/);
  expect(run.parentRunId).toBe("trace-7");
});

it("reads the address only when it is asked for", () => {
  let reads = 0;
  const run = new RunRecord(undefined, "lambda", "node", "", {
    get address() {
      reads += 1;
      return "runnable:;node:node";
    },
  });
  expect(run.name).toBe("node");
  expect(reads).toBe(0);
  expect(run.address).toBe("runnable:;node:node");
});

it("is a plain object in JSON and in logs, with the call id of tools only", () => {
  const root = new RunRecord(undefined, "tools_node", "tools", "", place);
  const call = new RunRecord(root, "tool", "search", "Web", { address: "a;tool:search:call_1" }, "call_1");
  const plain = {
    runId: call.runId,
    parentRunId: root.runId,
    name: "search",
    type: "Web",
    component: "tool",
    address: "a;tool:search:call_1",
    toolCallId: "call_1",
  };
  expect(call.toJSON()).toEqual(plain);
  expect(inspect(call)).toBe(inspect(plain));
  expect(Object.keys(root.toJSON())).not.toContain("toolCallId");
});
