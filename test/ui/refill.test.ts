import {
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import fc from "fast-check";
import {
  type AgenticMessage,
  assistantMessage,
  type ContentBlock,
  createTool,
  functionToolCall,
  memoryStore,
  RunControl,
  userInputFile,
  userInputImage,
  userInputText,
  userMessage,
} from "kumiko";
import { type Agent, type AgentResult, createAgent, threads } from "kumiko/agents";
import { assistantGenText, reasoning } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";
import { eventLog, type UiMessage, uiMessageStream, uiMessages } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { numberOfRuns } from "../number-of-runs.js";

const tools = [
  createTool({ id: "add", description: "", inputSchema: { type: "object" }, execute: () => ({ sum: 3 }) }),
  createTool({
    ...{ id: "fail", description: "", inputSchema: { type: "object" } },
    execute: () => {
      throw new Error("the database of 10.0.0.7 is gone");
    },
  }),
  createTool({
    id: "pay",
    description: "",
    inputSchema: { type: "object" },
    requireApproval: true,
    execute: () => "paid",
  }),
  createTool({ id: "where", description: "", inputSchema: { type: "object" } }),
];

/** The message of a chat's client after it has read a response, which may go on with the message that it has. */
async function read(response: Response, before?: UIMessage): Promise<UIMessage> {
  const parsed = parseJsonEventStream({ stream: response.body as ReadableStream, schema: uiMessageChunkSchema });
  const stream = parsed.pipeThrough(
    new TransformStream({ transform: (part, to) => to.enqueue((part as { value: UIMessageChunk }).value) }),
  ) as ReadableStream<UIMessageChunk>;
  let last: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream, ...(before !== undefined && { message: before }) }))
    last = state;
  return structuredClone(last as UIMessage);
}

/** What the law compares: not the ids of parts, data parts, metadata of providers, nor the approvals of answered calls. */
function comparable(messages: readonly (UIMessage | UiMessage)[]) {
  const partOf = (part: object) => {
    const { id, preliminary, approval, ...fields } = part as Record<string, unknown>;
    for (const name of Object.keys(fields)) if (/[mM]etadata$/.test(name)) delete fields[name];
    if (fields.rawInput !== undefined) delete fields.rawInput;
    return fields.state === "approval-requested" ? { ...fields, approval } : fields;
  };
  return JSON.parse(
    JSON.stringify(
      messages.map(({ id, role, metadata, parts }) => ({
        ...{ id, role, metadata },
        parts: parts.filter(({ type }) => !type.startsWith("data-")).map(partOf),
      })),
    ),
  );
}

const said = (...blocks: ContentBlock[]): AgenticMessage => assistantMessage(blocks);
const call = (callId: string, name: string) => functionToolCall({ callId, name, arguments: `{"n":"${callId}"}` });

/** A chat: its client, and the agent that answers. */
class Chat {
  readonly store = memoryStore();
  readonly agent: Agent;
  readonly client: UIMessage[] = [];
  result: AgentResult | undefined;

  constructor(answers: readonly AgenticMessage[]) {
    this.agent = createAgent({ name: "clerk", store: this.store, tools, model: scriptedModel(...answers) });
  }

  async say(text: string): Promise<void> {
    const id = `m${this.client.length}`;
    this.client.push({ id, role: "user", parts: [{ type: "text", text }] });
    const stream = this.agent.stream(userMessage(text, { id }), { threadId: "t" });
    this.client.push(await read(await uiMessageStream(stream)));
    this.result = await stream.result;
  }

  async answer(answers: Readonly<Record<string, unknown>>): Promise<void> {
    const stream = this.agent.resumeStream({ threadId: "t" }, answers);
    const before = this.client.pop();
    this.client.push(await read(await uiMessageStream(stream), before));
    this.result = await stream.result;
  }

  refill(): Promise<UiMessage[]> {
    return uiMessages(threads(this.store), "t");
  }

  async isRefilled(): Promise<void> {
    expect(comparable(await this.refill())).toEqual(comparable(this.client));
  }
}

describe("a chat that is reloaded", () => {
  it("has the answer with its reasoning, its calls, what became of them, and its text", async () => {
    const chat = new Chat([
      said(
        reasoning("Hm."),
        assistantGenText("Let me see. "),
        call("c1", "add"),
        call("c2", "fail"),
        call("c3", "none"),
      ),
      said(assistantGenText("Three.")),
    ]);
    await chat.say("1 + 2?");
    await chat.isRefilled();
    const [, answer] = await chat.refill();
    expect(answer?.parts.map(({ type, state }) => [type, state])).toEqual([
      ["step-start", undefined],
      ["reasoning", "done"],
      ["text", "done"],
      ["tool-add", "output-available"],
      ["tool-fail", "output-error"],
      ["tool-none", "output-error"],
      ["step-start", undefined],
      ["text", "done"],
    ]);
    expect(answer?.metadata).toMatchObject({ finishReason: "stop" });
    expect(JSON.stringify(answer)).not.toContain("10.0.0.7");
  });

  it("shows open approvals with the results beside them, and goes on in the same message", async () => {
    const chat = new Chat([
      said(call("c1", "add"), call("c2", "pay"), call("c3", "where")),
      said(assistantGenText("Done.")),
    ]);
    await chat.say("go");
    await chat.isRefilled();
    expect((await chat.refill()).at(-1)?.metadata).toMatchObject({ finishReason: "waiting" });
    const [pay, where] = chat.result?.interrupts ?? [];
    await chat.answer({ [pay?.id ?? ""]: { approved: true } });
    await chat.isRefilled();
    await chat.answer({ [where?.id ?? ""]: { "~error": "no GPS" } });
    await chat.isRefilled();
    expect((await chat.refill()).map(({ id }) => id)).toEqual(["m0", "turn-1"]);
  });

  it("is the chat that its client has seen", async () => {
    const step = fc.record({
      thinks: fc.boolean(),
      says: fc.boolean(),
      calls: fc.array(fc.constantFrom("add", "fail", "pay", "where", "none"), { minLength: 1, maxLength: 3 }),
    });
    const turns = fc.array(fc.array(step, { maxLength: 2 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(turns, fc.infiniteStream(fc.boolean()), async (talk, coins) => {
        let number = 0;
        const answers = talk.flatMap((steps) => [
          ...steps.map(({ thinks, says, calls }) =>
            said(
              ...(thinks ? [reasoning("Hm.")] : []),
              ...(says ? [assistantGenText("Well … ")] : []),
              ...calls.map((name) => call(`c${++number}`, name)),
            ),
          ),
          said(assistantGenText("So it is.")),
        ]);
        const chat = new Chat(answers);
        for (const [index] of talk.entries()) {
          await chat.say(`question ${index}`);
          await chat.isRefilled();
          while (chat.result?.finishReason === "waiting") {
            const open = chat.result.interrupts.filter((_, at) => at === 0 || coins.next().value === true);
            const yes = coins.next().value;
            await chat.answer(
              Object.fromEntries(
                open.map(({ id, info }) => {
                  const { kind } = info as { readonly kind: string };
                  if (kind === "tool_approval") return [id, { approved: yes }];
                  return [id, yes ? { latitude: 35 } : { "~error": "no" }];
                }),
              ),
            );
            await chat.isRefilled();
          }
        }
      }),
      { numRuns: numberOfRuns(30) },
    );
  });

  it("keeps prompts with their files, and gives an id to those that have none of their own", async () => {
    const chat = new Chat([said(assistantGenText("One.")), said(assistantGenText("Two."))]);
    const picture = userInputImage({ base64Data: "AAAA", mimeType: "image/webp" });
    const paper = userInputFile({ url: "https://example.com/a.pdf", mimeType: "application/pdf", name: "a.pdf" });
    await chat.agent.generate(userMessage([userInputText("Look"), picture, paper], { id: "m0" }), { threadId: "t" });
    await chat.agent.generate([userMessage("Again", { id: "m0" }), userMessage("and again")], { threadId: "t" });
    expect(
      (await chat.refill()).map(({ id, role, parts }) => [id, role, role === "user" ? parts : parts.length]),
    ).toEqual([
      [
        "m0",
        "user",
        [
          { type: "text", text: "Look" },
          { type: "file", mediaType: "image/webp", url: "data:image/webp;base64,AAAA" },
          { type: "file", mediaType: "application/pdf", url: "https://example.com/a.pdf", filename: "a.pdf" },
        ],
      ],
      ["turn-1", "assistant", 2],
      ["turn-2-prompt", "user", [{ type: "text", text: "Again" }]],
      ["turn-2-prompt-2", "user", [{ type: "text", text: "and again" }]],
      ["turn-2", "assistant", 2],
    ]);
    expect((await uiMessages(threads(chat.store), "t", { last: 1 })).map(({ id }) => id)).toEqual([
      "turn-2-prompt",
      "turn-2-prompt-2",
      "turn-2",
    ]);
    expect(await uiMessages(threads(chat.store), "other")).toEqual([]);
  });

  it("leaves out what was only said to get a valid output, and what the options leave out", async () => {
    const store = memoryStore();
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    const model = scriptedModel(
      said(reasoning("Hm."), assistantGenText("three")),
      said(reasoning("Ah."), assistantGenText('{"n":3}')),
    );
    const agent = createAgent({ store, model, output, outputMode: "native" });
    await agent.generate("1 + 2?", { threadId: "t" });
    const messages = await uiMessages(threads(store), "t", { sendReasoning: false });
    expect(messages.map(({ parts }) => parts.flatMap(({ text }) => (text === undefined ? [] : [text])))).toEqual([
      ["1 + 2?"],
      ['{"n":3}'],
    ]);
  });

  it("ends with the prompt while a turn runs, and says how other turns ended", async () => {
    const store = memoryStore();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow = createTool({ id: "slow", description: "", inputSchema: { type: "object" }, execute: () => gate });
    const model = scriptedModel(
      said(assistantGenText("One.")),
      said(call("c1", "slow")),
      said(assistantGenText("Two.")),
      new Error("no"),
    );
    const agent = createAgent({ store, tools: [slow], model, retry: false });
    const ids = async () => (await uiMessages(threads(store), "t")).map(({ id, metadata }) => [id, metadata?.status]);
    await agent.generate("first", { threadId: "t" });
    const log = eventLog(store);
    const running = log.record("t", agent.stream("second", { threadId: "t" }));
    const live = read(await uiMessageStream(running));
    while ((await threads(store).turns("t")[Symbol.asyncIterator]().next()).done) await Promise.resolve();
    expect(await ids()).toEqual([
      ["turn-1-prompt", undefined],
      ["turn-1", undefined],
      ["turn-2-prompt", undefined],
    ]);
    const replayed = read(await uiMessageStream(log.replay("t")));
    go();
    expect((await live).id).toBe("turn-2");
    expect(await replayed).toEqual(await live);
    await expect(agent.generate("third", { threadId: "t" })).rejects.toMatchObject({ code: "NODE_FAILED" });
    expect((await ids()).slice(4)).toEqual([
      ["turn-3-prompt", undefined],
      ["turn-3", "failed"],
    ]);
  });

  it("says of a turn that RunControl has stopped in mid-answer that it can go on, until it has gone on", async () => {
    const store = memoryStore();
    const control = new RunControl();
    const text = (words: string) => {
      const block = { type: "assistant_gen_text" as const, text: words, streamingMeta: { index: 0 } };
      return { role: "assistant" as const, contentBlocks: [block] };
    };
    async function* halting(_messages: readonly AgenticMessage[], { signal }: { signal?: AbortSignal | undefined }) {
      yield text("Once ");
      control.interrupt({ timeoutMs: 0 });
      await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    }
    const model = scriptedModel(
      (messages, options) => halting(messages, options),
      said(assistantGenText("Once more.")),
    );
    const agent = createAgent({ store, model });
    const stream = agent.stream("A story", { threadId: "t", control });
    const stopped = await read(await uiMessageStream(stream));
    expect(stopped.metadata).toMatchObject({ finishReason: "cut_off" });
    expect(stopped.parts.map(({ type }) => type)).not.toContain("data-interrupt");
    const [, reloaded] = await uiMessages(threads(store), "t");
    expect(reloaded?.metadata).toMatchObject({ status: "cut_off" });
    const resumed = agent.resumeStream({ threadId: "t" });
    const whole = await read(await uiMessageStream(resumed), stopped);
    expect(whole.metadata).toMatchObject({ finishReason: "stop" });
    expect(whole.parts.at(-1)).toMatchObject({ type: "text", text: "Once more." });
    const [, refilled] = await uiMessages(threads(store), "t");
    expect(refilled?.metadata).toEqual(whole.metadata);
  });

  it.each([
    [{ last: 0 }, "last of uiMessages"],
    [{ onError: 1 }, "onError of uiMessages"],
    [{ sendReasoning: "no" }, "sendReasoning of uiMessages"],
    [{ reasoning: true }, 'Unknown option "reasoning" of uiMessages'],
  ])("refuses %j", async (options, problem) => {
    await expect(uiMessages(threads(memoryStore()), "t", options as never)).rejects.toThrow(problem);
  });

  it("refuses a store in place of its threads", async () => {
    await expect(uiMessages(memoryStore() as never, "t")).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
