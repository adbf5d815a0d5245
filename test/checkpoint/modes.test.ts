import {
  Chain,
  type CompiledGraph,
  lambda,
  mapChunks,
  memoryStore,
  type NodeContext,
  passthrough,
  StreamReader,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { type Effects, effects, interruptOf, questionOf } from "./interrupt-of.js";

type App = CompiledGraph<string, string>;
const run = { checkpointId: "run" };

const runs = {
  invoke: (app: App) => app.invoke("in", run),
  stream: (app: App) => app.stream("in", run).concat(),
  collect: (app: App) => app.collect(StreamReader.from(["in"]), run),
  transform: (app: App) => app.transform(StreamReader.from(["in"]), run).concat(),
} as const;

const resumes = {
  resume: (app: App, answers: Readonly<Record<string, unknown>>) => app.resume("run", answers),
  resumeStream: (app: App, answers: Readonly<Record<string, unknown>>) => app.resumeStream("run", answers).concat(),
} as const;

/** How a node can be written that asks: each gives what it got, and the answer. */
const nodes = {
  "a function": async (text: string, ctx: NodeContext) => `${text}-${await ctx.ask("q", "?")}`,
  "a generator": async function* (text: string, ctx: NodeContext) {
    yield text;
    yield `-${await ctx.ask("q", "?")}`;
  },
  "a function that gives a stream": async (text: string, ctx: NodeContext) => {
    const answer = await ctx.ask("q", "?");
    return StreamReader.from([text, "-", String(answer)]);
  },
  mapChunks: mapChunks(async (text: string, ctx) => `${text}-${await ctx.ask("q", "?")}`),
  "lambda({ invoke })": lambda({ invoke: async (text: string, ctx) => `${text}-${await ctx.ask("q", "?")}` }),
  "lambda({ stream })": lambda({
    stream: async function* (text: string, ctx) {
      yield `${text}-`;
      yield `${await ctx.ask("q", "?")}`;
    },
  }),
  "lambda({ collect })": lambda({
    collect: async (text: StreamReader<string>, ctx) => `${await text.concat()}-${await ctx.ask("q", "?")}`,
  }),
  "lambda({ transform })": lambda({
    transform: async function* (text: StreamReader<string>, ctx) {
      yield* text;
      yield `-${await ctx.ask("q", "?")}`;
    },
  }),
} as const;

function build(node: keyof typeof nodes, ran: Effects): App {
  const chain = new Chain<string>().append(
    (text) => {
      ran.did("first");
      return `(${text}`;
    },
    { key: "first" },
  );
  // the kinds have one type: text in, text out
  return chain
    .append(nodes[node] as (typeof nodes)["a function"], { key: "asks" })
    .append(
      (text) => {
        ran.did("last");
        return `${text})`;
      },
      { key: "last" },
    )
    .compile({ name: "app", store: memoryStore() });
}

const kinds = Object.keys(nodes) as (keyof typeof nodes)[];
const runNames = Object.keys(runs) as (keyof typeof runs)[];
const resumeNames = Object.keys(resumes) as (keyof typeof resumes)[];

describe.each(kinds)("A question in %s", (kind) => {
  const cases = runNames.flatMap((start) => resumeNames.map((goOn) => [start, goOn] as const));

  it.each(cases)("stops %s, and goes on with %s", async (start, goOn) => {
    const ran = effects();
    const app = build(kind, ran);
    const question = await questionOf(runs[start](app));
    expect(question).toMatchObject({ address: "runnable:app;node:asks", info: "?" });
    expect(await resumes[goOn](app, { [question.id]: "yes" })).toBe("(in-yes)");
    expect(ran.counts()).toEqual({ first: 1, last: 1 });
  });
});

async function readAll(reader: StreamReader<string>, chunks: string[]): Promise<void> {
  for await (const chunk of reader) chunks.push(chunk);
}

describe("A stream that stops for a question", () => {
  const writer = (ran: Effects = effects()) =>
    new Chain<string>()
      .append(async function* (text: string, ctx) {
        ran.did("writer");
        yield `${text}1`;
        yield `${text}2`;
        yield `${await ctx.ask("q", "?")}`;
        yield "end";
      })
      .compile({ store: memoryStore() });

  it("has given the chunks before it; the resumed stream starts over", async () => {
    const app = writer();
    const [before, after]: [string[], string[]] = [[], []];
    const { id } = await questionOf(readAll(app.stream("x", run), before));
    expect(before).toEqual(["x1", "x2"]);
    await readAll(app.resumeStream("run", { [id]: "yes" }), after);
    expect(after).toEqual(["x1", "x2", "yes", "end"]);
  });

  it("may stop again and again", async () => {
    const app = new Chain<string>()
      .append(async function* (text: string, ctx) {
        yield text;
        yield `${await ctx.ask("1", "1?")}`;
        yield `${await ctx.ask("2", "2?")}`;
      })
      .compile({ store: memoryStore() });
    const one = await questionOf(app.stream("x", run).concat());
    const chunks: string[] = [];
    const two = await questionOf(readAll(app.resumeStream("run", { [one.id]: "a" }), chunks));
    expect(chunks).toEqual(["x", "a"]);
    expect(await app.resume("run", { [two.id]: "b" })).toBe("xab");
  });

  it("does so at the first read when the question comes first", async () => {
    const app = new Chain<string>()
      .append(async (text, ctx) => `${text}${await ctx.ask("q", "?")}`)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("x", run).next());
    expect(await app.resume("run", { [id]: "!" })).toBe("x!");
  });

  it("may be far from the node that asks: what stands between reads no answer before it is there", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .append(async function* (text: string, ctx) {
        yield text;
        yield `${await ctx.ask("q", "?")}`;
      })
      .append(mapChunks((text: string) => text.toUpperCase()))
      .append(passthrough<string>())
      .append((text) => {
        ran.did("last");
        return `${text}!`;
      })
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("x", run).concat());
    expect(ran.counts()).toEqual({});
    expect(await app.resume("run", { [id]: "yes" })).toBe("XYES!");
    expect(ran.counts()).toEqual({ last: 1 });
  });

  it("stops two nodes that read it, and gives both the whole of it later", async () => {
    const app = new Chain<string>()
      .append(async function* (text: string, ctx) {
        yield text;
        yield `${await ctx.ask("q", "?")}`;
      })
      .appendParallel({
        left: mapChunks((text: string) => text.toUpperCase()),
        right: (text: string) => text.length,
      })
      .append(({ left, right }) => `${left} ${right}`)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("x", run).concat());
    expect(await app.resume("run", { [id]: "yz" })).toBe("XYZ 3");
  });

  it("is read by a node that asks: it gets its whole input again", async () => {
    const inputs: string[] = [];
    const ran = effects();
    const app = new Chain<string>()
      .append(async function* (text: string) {
        ran.did("writer");
        yield* text;
      })
      .append(
        lambda({
          transform: async function* (text: StreamReader<string>, ctx) {
            const whole = await text.concat();
            inputs.push(whole);
            yield `${whole}${await ctx.ask("q", "?")}`;
          },
        }),
      )
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("abc", run).concat());
    expect(await app.resumeStream("run", { [id]: "!" }).concat()).toBe("abc!");
    expect(inputs).toEqual(["abc", "abc"]);
    expect(ran.counts()).toEqual({ writer: 1 });
  });

  it("is read only in part before the node asks: it gets its whole input again", async () => {
    const app = new Chain<string>()
      .append(async function* (text: string) {
        yield* text;
      })
      .append(
        lambda({
          transform: async function* (text: StreamReader<string>, ctx) {
            const first = await text.next();
            yield `${first.value}${await ctx.ask("q", "?")}`;
            yield* text;
          },
        }),
      )
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("abc", run).concat());
    const result = await app.resumeStream("run", { [id]: "!" }).concat();
    expect([...result].sort().join("")).toBe("!abc");
  });

  it("comes from the caller: it is kept for the node that asked", async () => {
    const inputs: string[] = [];
    const app = new Chain<string>()
      .append(async (text, ctx) => {
        inputs.push(text);
        return `${text}${await ctx.ask("q", "?")}`;
      })
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.transform(StreamReader.from(["a", "b"]), run).concat());
    expect(await app.resume("run", { [id]: "!" })).toBe("ab!");
    expect(inputs).toEqual(["ab", "ab"]);
  });

  it("keeps chunks that join by the rule of their node", async () => {
    const app = new Chain<string>()
      .append(
        async function* (text: string) {
          yield [text];
          yield [`${text}2`];
        },
        { concat: "list" },
      )
      .append(async (list: string[], ctx) => `${list.join("|")}${await ctx.ask("q", "?")}`)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("x", run).concat());
    expect(await app.resumeStream("run", { [id]: "!" }).concat()).toBe("x|x2!");
  });

  it("does not run the writer again when another node asks", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .appendParallel({
        writer: async function* (text: string) {
          ran.did("writer");
          yield text;
          await turns();
          yield "2";
        },
        asker: async (_text: string, ctx: NodeContext) => `${await ctx.ask("q", "?")}`,
      })
      .append(({ writer, asker }) => `${writer}${asker}`)
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.stream("1", run).concat());
    expect(await app.resumeStream("run", { [id]: "!" }).concat()).toBe("12!");
    expect(ran.counts()).toEqual({ writer: 1 });
  });
});

describe("resumeStream", () => {
  const asking = (ran: Effects) =>
    new Chain<string>()
      .append(async (text, ctx) => {
        ran.did("node");
        return `${text}${await ctx.ask("q", "?")}`;
      })
      .compile({ store: memoryStore() });

  it("does nothing before its first read, and nothing when it is cancelled before", async () => {
    const ran = effects();
    const app = asking(ran);
    const { id } = await questionOf(app.invoke("x", run));
    const unread = app.resumeStream("run", { [id]: "lost" });
    await turns();
    await unread.cancel();
    expect(ran.counts()).toEqual({ node: 1 });
    expect(await app.resume("run", { [id]: "kept" })).toBe("xkept");
  });

  it("rejects at the read, whatever is wrong", async () => {
    const app = asking(effects());
    const unknown = app.resumeStream("nothing", {});
    expect(await errorOf(unknown.concat())).toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
    await questionOf(app.invoke("x", run));
    expect((await interruptOf(app.resumeStream("run").concat())).interrupts).toHaveLength(1);
    expect(await errorOf(app.resumeStream("run", { nobody: 1 }).concat())).toMatchObject({
      code: "UNKNOWN_INTERRUPT",
    });
  });

  it("may be awaited as it is", async () => {
    const app = asking(effects());
    const { id } = await questionOf(app.invoke("x", run));
    const reader = await app.resumeStream("run", { [id]: "!" });
    expect(await reader.concat()).toBe("x!");
  });

  it("ends after an error, like every stream", async () => {
    const app = asking(effects());
    await questionOf(app.invoke("x", run));
    const reader = app.resumeStream("run");
    await rejectedBy(reader.next());
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });
});
