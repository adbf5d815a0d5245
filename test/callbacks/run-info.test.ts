import { inspect } from "node:util";
import { AgenticToolsNode, Chain, createTool, type RunInfo } from "kumiko";
import { describe, expect, it } from "vitest";
import { call, calls } from "../tools/node/calls.js";

/** Runs a chain in a chain, and returns what handlers hear of its runs, by name. */
async function infosOf(): Promise<Readonly<Record<"root" | "first" | "second" | "inner", RunInfo>>> {
  const infos: RunInfo[] = [];
  const inner = new Chain<number>().append((n) => n, { key: "inner" });
  await new Chain<number>()
    .append(inner, { key: "first" })
    .append((n) => n, { key: "second" })
    .compile({ name: "root" })
    .invoke(1, { callbacks: [{ onStart: (info) => void infos.push(info) }] });
  const find = (name: string): RunInfo => {
    const found = infos.find((info) => info.name === name);
    if (found === undefined) throw new Error(`No run is called ${name}, only ${infos.map((info) => info.name)}.`);
    return found;
  };
  return { root: find("root"), first: find("first"), second: find("second"), inner: find("inner") };
}

describe("the info of a run", () => {
  it("gives a root a random id of 128 bits, and no parent", async () => {
    const [a, b] = [await infosOf(), await infosOf()];
    expect(a.root.runId).toMatch(/^[0-9a-f]{32}$/);
    expect(a.root.runId).not.toBe(b.root.runId);
    expect(a.root.parentRunId).toBeUndefined();
  });

  it("gives every run inside a root an id of its own, which stays the same", async () => {
    const { root, ...others } = await infosOf();
    const all = [root, ...Object.values(others)];
    const ids = all.map(({ runId }) => runId);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => id.startsWith(root.runId))).toBe(true);
    expect(all.map(({ runId }) => runId)).toEqual(ids);
  });

  it("knows the id of the run around it, whichever is read first", async () => {
    const { root, first, inner } = await infosOf();
    expect(inner.parentRunId).toBe(first.runId);
    expect(first.parentRunId).toBe(root.runId);
  });

  it("is a plain object in JSON and in logs, with the call id of tools only", async () => {
    const infos: RunInfo[] = [];
    const search = createTool({ id: "search", description: "", execute: () => "" });
    const node = new AgenticToolsNode({ tools: [search] });
    await node.invoke(calls(call("search", {}, "call_1")), {
      callbacks: [{ onStart: (info) => void infos.push(info) }],
    });
    const [root, tool] = infos;
    const { runId, parentRunId, name, type, component, address, toolCallId, meta } = tool as RunInfo;
    const plain = { runId, parentRunId, name, type, component, address, toolCallId, meta };
    expect(plain).toMatchObject({ parentRunId: root?.runId, name: "search", component: "tool", toolCallId: "call_1" });
    expect(JSON.parse(JSON.stringify(tool))).toEqual(plain);
    expect(inspect(tool)).toBe(inspect(plain));
    expect(Object.keys(JSON.parse(JSON.stringify(root)))).not.toContain("toolCallId");
  });
});
