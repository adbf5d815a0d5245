import { createTool, memoryStore } from "kumiko";
import { type AgentEvent, createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { agUi, readUiRequest, uiMessageStream } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, weatherCall, weatherTool } from "../agents/agents.js";

const pick = createTool({
  id: "pick",
  description: "Picks a seat.",
  inputSchema: z.object({}),
  suspendSchema: z.object({ seats: z.array(z.string()) }),
  resumeSchema: z.object({ seat: z.string() }),
  execute: (_input, { suspend, resumeData }) => resumeData?.seat ?? suspend({ seats: ["1A", "2B"] }),
});
const where = createTool({ id: "where", description: "Asks the browser.", inputSchema: z.object({}) });

interface Chunk {
  readonly type: string;
  readonly id?: string;
  readonly data?: { readonly id?: string; readonly answered?: boolean; readonly toolCallId?: string };
}

async function chunksOf(response: Response | Promise<Response>): Promise<Chunk[]> {
  const text = await (await response).text();
  return text.split("\n\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as Chunk] : []));
}

describe.each(["in a thread", "without a thread"])("questions that a resume answers, %s", (kind) => {
  const options = kind === "in a thread" ? { threadId: "t" } : {};

  async function asked() {
    const { tool } = weatherTool({ requireApproval: true });
    const model = scriptedModel([call("1", "pick"), call("2", "where"), weatherCall("3", "Kyoto")], "Done.");
    const agent = createAgent({ model, tools: [pick, where, tool], store: memoryStore() });
    const waiting = await agent.generate("Book", options);
    if (waiting.finishReason !== "waiting") throw new Error("It should wait.");
    const idOf = (callId: string): string =>
      waiting.interrupts.find(({ info }) => (info as { toolCallId?: string }).toolCallId === callId)?.id ?? "";
    return { agent, waiting, idOf };
  }

  it("come again as answered, but for approvals; only those that were answered", async () => {
    const { agent, waiting, idOf } = await asked();
    const first = await chunksOf(uiMessageStream(agent.resumeStream(waiting, { [idOf("1")]: { seat: "1A" } })));
    const told = first.filter(({ data }) => data?.answered === true);
    expect(told).toMatchObject([{ type: "data-interrupt", id: idOf("1"), data: { id: idOf("1"), toolCallId: "1" } }]);
    expect(first.filter(({ type, data }) => type === "data-interrupt" && data?.answered !== true)).toMatchObject([
      { id: idOf("2") },
    ]);
    const byAddress = waiting.interrupts.find(({ id }) => id === idOf("2"))?.address ?? "";
    const run = agent.resumeStream(waiting, { byAddress: { [byAddress]: "home" }, [idOf("3")]: { approved: true } });
    const second = await chunksOf(uiMessageStream(run));
    expect(second.filter(({ type }) => type === "data-interrupt")).toMatchObject([
      { id: idOf("2"), data: { answered: true, toolCallId: "2" } },
    ]);
    expect(second.map(({ type }) => type).indexOf("data-interrupt")).toBe(1);
  });

  it("are told as the run begins, and are nothing in AG-UI", async () => {
    const { agent, waiting, idOf } = await asked();
    const answers = { [idOf("1")]: { seat: "1A" }, [idOf("2")]: "home", [idOf("3")]: { approved: false } };
    const events: AgentEvent[] = [];
    for await (const event of agent.resumeStream(waiting, answers)) events.push(event);
    const [start] = events;
    expect(start?.type === "start" && start.answered?.map(({ id }) => id)).toEqual(
      waiting.interrupts.map(({ id }) => id),
    );
    expect(events.filter(({ type }) => type === "interrupt")).toEqual([]);
    const other = await asked();
    const stream = agUi(other.agent.resumeStream(other.waiting, { [other.idOf("1")]: { seat: "1A" } }), {
      threadId: "t",
      runId: "r",
    });
    const sent = await chunksOf(stream);
    expect(sent.find(({ type }) => type === "RUN_FINISHED")).toMatchObject({
      outcome: { interrupts: [{ id: other.idOf("2") }, { id: other.idOf("3") }] },
    });
  });
});

describe("a request of useChat", () => {
  it("answers no question that is answered already", () => {
    const part = (id: string, answered: boolean) => ({
      type: "data-interrupt",
      data: { id, info: { kind: "client_tool" }, toolCallId: id, ...(answered && { answered }) },
    });
    const output = (toolCallId: string) => ({
      type: "tool-where",
      toolCallId,
      state: "output-available",
      input: {},
      output: "home",
    });
    const message = {
      id: "turn-1",
      role: "assistant",
      parts: [{ type: "step-start" }, output("a"), output("b"), part("a", true), part("b", false)],
    };
    expect(readUiRequest({ id: "t", messages: [message] })).toMatchObject({ answers: { b: "home" } });
    expect(Object.keys(readUiRequest({ id: "t", messages: [message] }).answers ?? {})).toEqual(["b"]);
  });
});
