import { Chain, KumikoError, traceRecorder } from "kumiko";
import { readTrace } from "kumiko/callbacks";
import { describe, expect, it } from "vitest";

async function recorded(): Promise<Record<string, never>> {
  const trace = traceRecorder();
  const inner = new Chain<string>().append((text) => text, { key: "deep" });
  const app = new Chain<string>().append(inner, { key: "inner" }).compile({ name: "my app" });
  await app.invoke("a", { callbacks: [trace] });
  return JSON.parse(JSON.stringify(trace));
}

function problem(json: unknown): string {
  try {
    readTrace(json);
  } catch (error) {
    if (KumikoError.is(error) && error.code === "INVALID_TRACE") return error.message;
    throw error;
  }
  return "none";
}

/** The trace with one value replaced. */
async function changed(path: string, value: unknown): Promise<unknown> {
  const json: unknown = await recorded();
  const keys = path.split("/");
  const last = keys.pop() ?? "";
  let at = json as Record<string, unknown>;
  for (const key of keys) at = at[key] as Record<string, unknown>;
  at[last] = value;
  return json;
}

describe("readTrace", () => {
  it("returns what was recorded", async () => {
    const json = await recorded();
    expect(readTrace(json)).toEqual(json);
    expect(problem({ version: 1, runs: [], graphs: {} })).toBe("none");
  });

  it.each([undefined, null, 5, "{}", [], new Map()])("refuses %s", (json) => {
    expect(problem(json)).toMatch(/^Not a trace: \S+ must be/);
  });

  it.each([
    ["version", "1", "version must be 1"],
    ["version", 0, "version must be 1 (got 0)"],
    ["runs", {}, "runs must be a list (got an object)"],
    ["runs/0", null, "runs[0] must be an object (got null)"],
    ["runs/0/id", 5, "runs[0].id must be a string (got 5)"],
    ["runs/0/startedAt", "now", "runs[0].startedAt must be a number (got a string)"],
    ["runs/0/running", 1, "runs[0].running must be true, or absent (got 1)"],
    ["runs/0/children/0/children/0/name", undefined, "runs[0].children[0].children[0].name must be a string"],
    ["runs/0/children/0/children", {}, "runs[0].children[0].children must be a list"],
    ["runs/0/chunks", { count: 1, at: [[1, "2"]] }, "runs[0].chunks.at[0][1] must be a number"],
    ["runs/0/usage", { promptTokens: 1 }, "runs[0].usage.completionTokens must be a number"],
    ["runs/0/events", [{ at: 1 }], "runs[0].events[0].kind must be a string"],
    ["graphs", undefined, "graphs must be an object (got undefined)"],
    ["graphs/my app/nodes", 1, 'graphs["my app"].nodes must be a list'],
    ["graphs/my app/nodes/0/graph/edges", 1, 'graphs["my app"].nodes[0].graph.edges must be a list'],
    ["graphs/my app/edges/0/from", 1, 'graphs["my app"].edges[0].from must be a string'],
  ])("names %s", async (path, value, message) => {
    expect(problem(await changed(path, value))).toContain(`Not a trace: ${message}`);
  });

  it("says that a trace is of a newer version", async () => {
    expect(problem(await changed("version", 2))).toMatch(/version 2, which is newer/);
  });

  it("reads a trace of any depth", () => {
    const node = { id: "1", name: "a", component: "lambda", type: "", address: "a", startedAt: 0, durationMs: 0 };
    let inner: object = { ...node, children: [] };
    for (let depth = 0; depth < 20_000; depth++) inner = { ...node, children: [inner] };
    expect(problem({ version: 1, runs: [inner], graphs: {} })).toBe("none");
  });
});
