import { type AgenticMessage, assistantMessage, createTool, memoryStore, textOf, userMessage } from "kumiko";
import { createAgent, type GuardOptions, guard, piiGuard, threads } from "kumiko/agents";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, eventsOf, failureOf } from "../agents.js";

const look = createTool({ id: "look", description: "Looks.", inputSchema: z.object({}), execute: () => "seen" });
const noPins = guard({
  name: "pins",
  input: (message) => {
    const text = textOf(message);
    return text.includes("4711") ? { replace: text.replaceAll("4711", "####") } : undefined;
  },
});
const noSecrets: GuardOptions = {
  name: "no-secrets",
  output: (text) => (text.includes("secret") ? { block: "It tells a secret." } : undefined),
};

describe("what was pushed, behind guards", () => {
  function setUp(...script: ScriptEntry[]) {
    const store = memoryStore();
    const make = (model = scriptedModel("fine")) => ({
      model,
      agent: createAgent({ model, store, tools: [look], middleware: [noPins, guard(noSecrets)], retry: false }),
    });
    const first = make(scriptedModel(...script));
    const said = (answer: ScriptEntry) => async (): Promise<AgenticMessage | string | Error> => {
      await threads(store).push("t", "pin 4711");
      return answer as string;
    };
    return { store, make, first, said };
  }

  it("is never seen by a model if the turn failed before it was judged", async () => {
    const { store, make, said } = setUp();
    const { agent } = make(scriptedModel(said(new Error("gone") as never) as ScriptEntry));
    await failureOf(agent.generate("a", { threadId: "t" }));
    expect((await threads(store).messages("t")).map(textOf)).toEqual(["a", "pin 4711"]);
    const next = make();
    await next.agent.generate("b", { threadId: "t" });
    expect(next.model.calls[0]?.messages.map(textOf)).toEqual(["a", "b"]);
  });

  it("is judged where a turn that failed goes on", async () => {
    const { store, make, said } = setUp();
    const { agent } = make(scriptedModel(said([call("1", "look")] as never) as ScriptEntry, new Error("gone")));
    await failureOf(agent.generate("a", { threadId: "t" }));
    const next = make();
    await next.agent.resume({ threadId: "t" });
    expect(next.model.calls[0]?.messages.map(textOf).filter(Boolean)).toEqual(["a", "pin ####"]);
    expect(JSON.stringify(await threads(store).messages("t"))).not.toContain("4711");
  });

  it("is logged by a turn whose answer is blocked meanwhile, and no model sees it", async () => {
    const { store, make, said } = setUp();
    const { agent, model } = make(scriptedModel(said("a secret") as ScriptEntry, "fine"));
    expect((await agent.generate("a", { threadId: "t" })).finishReason).toBe("content_filter");
    expect((await threads(store).messages("t")).map(textOf)).toEqual(["a", "I cannot help with that.", "pin 4711"]);
    await agent.generate("b", { threadId: "t" });
    expect(JSON.stringify(model.calls)).not.toContain("4711");
  });

  it("is said once if the turn was stopped while its prompt was judged", async () => {
    const { store, make } = setUp();
    const stopping = new AbortController();
    const hanging = guard({
      name: "hanging",
      input: async () => {
        await threads(store).push("t", "b");
        stopping.abort();
        return new Promise<undefined>(() => undefined);
      },
    });
    const stopped = createAgent({ model: scriptedModel("never"), store, middleware: [hanging] });
    await failureOf(stopped.generate("a", { threadId: "t", signal: stopping.signal }));
    expect((await threads(store).messages("t")).map(textOf)).toEqual(["a", "b"]);
    const { messages } = await make().agent.resume({ threadId: "t" });
    expect(messages.map(textOf)).toEqual(["a", "b", "fine"]);
    expect((await threads(store).messages("t")).map(textOf)).toEqual(["a", "b", "fine"]);
  });
});

it("a prompt that no guard has judged is not shown to the model in a later turn", async () => {
  const store = memoryStore();
  const stopping = new AbortController();
  const hanging = guard({
    name: "hanging",
    input: () => {
      stopping.abort();
      return new Promise<undefined>(() => undefined);
    },
  });
  const stopped = createAgent({ model: scriptedModel("never"), store, middleware: [hanging] });
  await failureOf(stopped.generate("My pin is 4711.", { threadId: "t", signal: stopping.signal }));
  const model = scriptedModel("fine");
  await createAgent({ model, store, middleware: [noPins] }).generate("b", { threadId: "t" });
  expect(model.calls[0]?.messages.map(textOf)).toEqual(["b"]);
});

it("a message that was pushed once can be the prompt of another turn", async () => {
  const store = memoryStore();
  const make = (model: ReturnType<typeof scriptedModel>) => createAgent({ model, store, retry: false });
  const failing = scriptedModel(async () => {
    await threads(store).push("t", "b");
    return new Error("gone");
  });
  const prompt: AgenticMessage = { ...userMessage("a"), extra: { pushed: true } };
  await failureOf(make(failing).generate(prompt, { threadId: "t" }));
  expect((await threads(store).messages("t")).map(textOf)).toEqual(["a", "b"]);
  const { messages } = await make(scriptedModel("fine")).resume({ threadId: "t" });
  expect(messages.map(textOf)).toEqual(["a", "b", "fine"]);
});

it("what replaces a message without text is its text", async () => {
  const model = scriptedModel("fine");
  const named = guard({ name: "named", input: () => ({ replace: "[a picture]" }) });
  const picture = userMessage([{ type: "user_input_image", url: "https://example.com/a.png" }]);
  await createAgent({ model, middleware: [named] }).generate(picture);
  expect(model.calls[0]?.messages.map(textOf)).toEqual(["[a picture]"]);
});

const piece = (text: string, index?: number): AgenticMessage =>
  assistantMessage([{ type: "assistant_gen_text", text, ...(index !== undefined && { streamingMeta: { index } }) }]);

describe("text in several blocks", () => {
  it.each([
    ["without indices", [piece("sec"), piece("ret")]],
    ["one after another", [piece("sec", 0), piece("ret", 1)]],
    [
      "of one message",
      [{ ...piece("sec"), contentBlocks: [piece("sec"), piece("ret")].flatMap((m) => m.contentBlocks) }],
    ],
  ])("is judged as it is read: %s", async (_name, chunks) => {
    for (const method of ["generate", "stream"] as const) {
      const agent = createAgent({ model: scriptedModel(chunks), middleware: [guard(noSecrets)] });
      const stream = method === "stream" ? agent.stream("Hi") : undefined;
      if (stream !== undefined) await eventsOf(stream);
      expect(await (stream?.result ?? agent.generate("Hi"))).toMatchObject({ blocked: { on: "output" } });
    }
  });

  it("stays in its blocks, before the calls after it, with what else its blocks say", async () => {
    const chunks = [
      { type: "assistant_gen_text", text: "Mail a@b.com", openai: { refusal: { reason: "no" } } } as const,
      { type: "assistant_gen_text", text: " now" } as const,
      call("1", "look"),
    ];
    const model = scriptedModel(assistantMessage([...chunks]), "done");
    const { messages } = await createAgent({ model, tools: [look], middleware: [guard(piiGuard())] }).generate("Hi");
    expect(messages[1]?.contentBlocks).toEqual([{ ...chunks[0], text: "Mail [email]" }, chunks[1], chunks[2]]);
  });

  it("keeps a refusal that comes in pieces", async () => {
    const refusing = (reason: string): AgenticMessage => {
      const [block] = piece("", 0).contentBlocks;
      return assistantMessage([{ ...block, openai: { refusal: { reason } } } as never]);
    };
    const model = scriptedModel([refusing("I can"), refusing("not."), piece("x", 0)]);
    const stream = createAgent({ model, middleware: [guard(noSecrets)] }).stream("Hi");
    await eventsOf(stream);
    const plain = createAgent({ model: scriptedModel([refusing("I can"), refusing("not."), piece("x", 0)]) }).stream(
      "Hi",
    );
    await eventsOf(plain);
    expect((await stream.result).messages).toEqual((await plain.result).messages);
  });
});
