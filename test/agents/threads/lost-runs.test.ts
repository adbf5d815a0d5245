import { assistantMessage, createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { runs } from "kumiko/durable";
import { scriptedModel } from "kumiko/testing";
import { expect, it } from "vitest";
import { changeHead } from "../../../src/checkpoint/runs/change-head.js";

it("a turn whose run was changed by somebody else goes on with what is saved", async () => {
  const store = memoryStore();
  const id = "~thread/t/00000001/run";
  const looked: string[] = [];
  const look = createTool({
    id: "look",
    description: "",
    inputSchema: { type: "object" },
    execute: async (_, { toolCallId }) => {
      const row = await store.get(id);
      // as if it had lost its claim for a moment
      if (looked.push(toolCallId) === 1 && row !== undefined)
        await changeHead(store, id, row, { status: "ready", owner: undefined, claim: undefined });
      return "seen";
    },
  });
  const model = scriptedModel(
    [functionToolCall({ callId: "c1", name: "look", arguments: "{}" })],
    assistantMessage("Done."),
  );
  const clerk = createAgent({ name: "clerk", store, tools: [look], model });
  const run = await clerk.segment({ threadId: "t", requestId: "1" }, { input: "Hi" });
  expect(run).toMatchObject({ status: "finished", output: { text: "Done." } });
  expect(looked).toEqual(["c1", "c1"]);
  expect(await runs(store).get(id)).toBeUndefined();
  for await (const { status } of threads(store).turns("t")) expect(status).toBe("done");
});
