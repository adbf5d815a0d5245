import { createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { eventLog } from "kumiko/ui";
import { describe, expect, it } from "vitest";

function bookingAgent() {
  const store = memoryStore();
  const model = scriptedModel(
    [functionToolCall({ callId: "1", name: "book", arguments: "{}" })],
    "It is booked.",
    "Another one.",
  );
  const book = createTool({
    id: "book",
    description: "",
    inputSchema: { type: "object" },
    requireApproval: true,
    execute: () => "ok",
  });
  const log = eventLog(store);
  const typesOf = async (id: string): Promise<string[]> => {
    const types: string[] = [];
    for await (const { type } of log.replay(id)) types.push(type);
    return types;
  };
  return { agent: createAgent({ store, model, tools: [book] }), log, typesOf };
}

const yes = (id: string | undefined) => ({ [id ?? ""]: { approved: true } });

describe("The log of a saved run", () => {
  it("has the events of all its segments", async () => {
    const { agent, log, typesOf } = bookingAgent();
    const waiting = await agent.segment("order", { input: "Book it.", record: log });
    const before = await typesOf("order");
    expect(before).toContain("interrupt");
    const done = await agent.segment("order", { answers: yes(waiting.interrupts[0]?.id), record: log });
    expect(done.status).toBe("finished");
    const all = await typesOf("order");
    expect(all.slice(0, before.length)).toEqual(before);
    expect(all.slice(before.length)).toEqual(expect.arrayContaining(["start", "tool_result", "finish"]));
  });

  it("goes on where a run is resumed by hand, and begins again with another run of the id", async () => {
    const { agent, log, typesOf } = bookingAgent();
    const waiting = await log.record("order", agent.stream("Book it.", { checkpointId: "order" })).result;
    const before = await typesOf("order");
    await log.record("order", agent.resumeStream("order", yes(waiting.interrupts[0]?.id))).result;
    expect((await typesOf("order")).slice(0, before.length)).toEqual(before);
    await log.record("order", agent.stream("And now?", { checkpointId: "order" })).result;
    const types = await typesOf("order");
    expect(types.filter((type) => type === "start")).toHaveLength(1);
    expect(types).not.toContain("interrupt");
  });
});
