import { createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { errorOf } from "../run/rejected-by.js";

type Tools = Readonly<Record<string, "asks" | "runs">>;

/** The same agent as its next deploy has it, perhaps without some of its tools. */
function deploys(ran: string[]) {
  const store = memoryStore();
  const calls = (names: readonly string[]) =>
    names.map((name) => functionToolCall({ callId: `call ${name}`, name, arguments: "{}" }));
  return (tools: Tools, ...answers: (readonly string[] | string)[]) =>
    createAgent({
      store,
      tools: Object.entries(tools).map(([id, kind]) =>
        createTool({
          id,
          description: "",
          inputSchema: z.object({}),
          requireApproval: kind === "asks",
          execute: () => {
            ran.push(id);
            return `${id} ran`;
          },
        }),
      ),
      model: scriptedModel(...answers.map((given) => (typeof given === "string" ? given : calls(given)))),
    });
}

const yes = { approved: true };
const thread = { threadId: "t" };

describe("An answer that comes when a tool of its round is gone", () => {
  it("runs its tool, and keeps the result of the one that is gone", async () => {
    const ran: string[] = [];
    const agent = deploys(ran);
    const held = await agent({ ask: "asks", done: "runs" }, ["ask", "done"]).generate("q", thread);
    const [question] = held.interrupts;
    const end = await agent({ ask: "asks" }, "end").resume(thread, { [question?.id ?? ""]: yes });
    expect(end.text).toBe("end");
    expect(JSON.stringify(end.messages)).toContain("done ran");
    expect(ran).toEqual(["done", "ask"]);
  });

  it("runs its tool while the question of the one that is gone stays open", async () => {
    const ran: string[] = [];
    const agent = deploys(ran);
    const held = await agent({ own: "asks", gone: "asks" }, ["own", "gone"]).generate("q", thread);
    const idOf = (name: string): string =>
      held.interrupts.find(({ address }) => address.includes(`:${name}:`))?.id ?? "";
    const waiting = await agent({ own: "asks" }).resume(thread, { [idOf("own")]: yes });
    expect(waiting.interrupts.map(({ id }) => id)).toEqual([idOf("gone")]);
    expect(ran).toEqual(["own"]);
    const refused = await errorOf(agent({ own: "asks" }).resume(thread, { [idOf("gone")]: yes }));
    expect(refused).toMatchObject({ code: "UNKNOWN_TOOL" });
    // it comes back
    const end = await agent({ own: "asks", gone: "asks" }, "end").resume(thread, { [idOf("gone")]: yes });
    expect(end.text).toBe("end");
    expect(ran).toEqual(["own", "gone"]);
  });
});
