import {
  Chain,
  constant,
  firstOf,
  from,
  isInterrupt,
  memoryStore,
  type NodeContext,
  START,
  StreamReader,
  Workflow,
} from "kumiko";
import { runnableConformance } from "kumiko/testing";
import { describe, expect, it } from "vitest";

async function* words(text: string) {
  for (const word of text.split(" ")) yield { word: `${word} ` };
}

describe("Streams in a workflow", () => {
  it("go on chunk by chunk through steps into records", async () => {
    const flow = new Workflow<string, { said: string }>()
      .addNode("say", words, { input: from(START), concat: "record" })
      .end({ said: from("say", "word") })
      .compile();
    const chunks: unknown[] = [];
    for await (const chunk of flow.stream("a b c")) chunks.push(chunk);
    expect(chunks).toEqual([{ said: "a " }, { said: "b " }, { said: "c " }]);
    expect(await flow.invoke("a b c")).toEqual({ said: "a b c " });
  });

  it("are left when the only node that reads them is skipped", async () => {
    let given = 0;
    const flow = new Workflow<string, string>()
      .addNode(
        "say",
        async function* (text: string) {
          for (; given < 100_000; given++) yield `${text}${given}`;
        },
        { input: from(START) },
      )
      .addBranch(START, ["read"], () => [])
      .addNode("read", (text: string) => text, { input: from("say") })
      .end(from("read", { default: "skipped" }))
      .compile();
    expect(await flow.stream("x").concat()).toBe("skipped");
    expect(given).toBeLessThan(100);
  });

  it("are read to their ends for nodes that only come after them", async () => {
    const order: string[] = [];
    const flow = new Workflow<string, null>()
      .addNode(
        "say",
        async function* (text: string) {
          yield text;
          await undefined;
          order.push("said");
        },
        { input: from(START) },
      )
      .addNode("next", () => order.push("next"), { runAfter: ["say"] })
      .end(constant(null), { runAfter: ["next"] })
      .compile();
    await flow.stream("x").concat();
    expect(order).toEqual(["said", "next"]);
  });

  it("of the caller are read by many", async () => {
    const flow = new Workflow<{ a: string }, { x: string; y: string; z: number }>()
      .end({ x: from(START, "a"), y: from(START, "a"), z: from(START, ({ a }: { a: string }) => a.length) })
      .compile();
    const pieces = StreamReader.from([{ a: "1" }, { a: "2" }]);
    expect(await flow.collect(pieces)).toEqual({ x: "12", y: "12", z: 2 });
  });
});

it("does not evaluate the mapping of a node that is skipped", async () => {
  let extracted = 0;
  const flow = new Workflow<{ kind: string; text: string }, { long?: number; short?: string }>()
    .addBranch(START, ["long", "short"], ({ kind }) => (kind === "long" ? "long" : "short"))
    .addNode("long", (text: string) => text.length, {
      input: from(START, ({ text }: { text: string }) => {
        extracted++;
        return text;
      }),
    })
    .addNode("short", (text: string) => text, { input: from(START, "text") })
    .end({ long: from("long"), short: from("short") })
    .compile();
  expect(await flow.invoke({ kind: "short", text: "a" })).toEqual({ short: "a" });
  expect(extracted).toBe(0);
  expect(await flow.invoke({ kind: "long", text: "a" })).toEqual({ long: 1 });
  expect(extracted).toBe(1);
});

describe("A saved workflow", () => {
  it.each(["exit", "step"] as const)("keeps what was mapped and skipped over a question (%s)", async (durability) => {
    const ran: string[] = [];
    let drawn = 0;
    const app = new Workflow<string, { asked: string; other: string | undefined; drawn: number }>()
      .addNode(
        "first",
        (text: string) => {
          ran.push("first");
          return { text };
        },
        { input: from(START) },
      )
      .addBranch("first", ["left", "right"], () => "left")
      .addNode("left", () => ran.push("left"))
      .addNode("right", () => "right")
      .addNode(
        "ask",
        async (given: { text: string; drawn: number }, ctx: NodeContext) => {
          const answer = await ctx.ask("name", given.text);
          ran.push("ask");
          return { text: `${given.text} ${answer}`, drawn: given.drawn };
        },
        { input: { text: from("first", "text"), drawn: from("first", () => ++drawn) } },
      )
      .end({ asked: from("ask", "text"), other: from("right"), drawn: from("ask", "drawn") })
      .compile({ store: memoryStore(), durability });
    const error = await app.invoke("hello", { checkpointId: "1" }).catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    const [first] = error.interrupts;
    const result = await app.resume("1", { [first?.id ?? ""]: "Ada" });
    expect(result).toEqual({ asked: "hello Ada", drawn: 1 });
    expect(ran.sort()).toEqual(["ask", "first", "left"]);
  });

  it("goes on in a workflow in a chain in a workflow", async () => {
    const inner = new Workflow<{ text: string }, { said: string }>()
      .addNode("ask", async (text: string, ctx: NodeContext) => `${text} ${await ctx.ask("name", text)}`, {
        input: from(START, "text"),
      })
      .end({ said: from("ask") });
    const chain = new Chain<{ text: string }>().append(inner, { key: "inner" });
    const app = new Workflow<string, string>()
      .addNode("chain", chain, { input: { text: from(START) } })
      .end(firstOf(from("chain", "said"), from(START)))
      .compile({ store: memoryStore() });
    const error = await app.invoke("hi", { checkpointId: "1" }).catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    expect(error.interrupts[0]?.address).toBe("runnable:;node:chain;node:inner;node:ask");
    expect(await app.resumeStream("1", { [error.interrupts[0]?.id ?? ""]: "you" }).concat()).toBe("hi you");
  });

  it("stops before its nodes, and END is still reached when what it reads was skipped", async () => {
    const app = new Workflow<string, { a?: string | undefined }>()
      .addBranch(START, ["a"], () => [])
      .addNode("a", () => "a")
      .addNode("b", (text: string) => text, { input: from(START) })
      .end({ a: from("a") }, { runAfter: ["b"] })
      .compile({ store: memoryStore(), interruptBefore: ["b"] });
    const error = await app.invoke("x", { checkpointId: "1" }).catch((thrown: unknown) => thrown);
    expect(isInterrupt(error)).toBe(true);
    expect(await app.resume("1")).toEqual({});
  });
});

describe("A workflow as a Runnable", () => {
  const make = () =>
    new Workflow<string, string>()
      .addNode("shout", (text: string) => text.toUpperCase(), { input: from(START) })
      .end(from("shout"))
      .compile();
  const checks = runnableConformance(
    (work) =>
      new Workflow<string, string>()
        .addNode("shout", (text: string, ctx) => work(ctx).then(() => text.toUpperCase()), { input: from(START) })
        .end(from("shout"))
        .compile(),
    { input: "hello", output: "HELLO", chunks: ["hel", "lo"] },
  );
  for (const { name, run } of checks) it(name, run);

  it("is called a workflow where it is watched", async () => {
    const seen: string[] = [];
    await make().invoke("x", { callbacks: [{ onStart: ({ component, name }) => seen.push(`${component} ${name}`) }] });
    expect(seen).toEqual(["workflow ", "lambda shout"]);
  });

  it("can be drawn", () => {
    expect(make().toMermaid()).toContain("-->");
  });
});
