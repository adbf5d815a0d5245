import { Chain, END, Graph, isInterrupt, KumikoError, memoryStore, type NodeContext, START } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { plain } from "../compose/thrown-by.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { effects, idOf, interruptOf, questionOf } from "./interrupt-of.js";

/** A run of one node that uses its context. */
const around = (use: (ctx: NodeContext) => unknown) =>
  new Chain<string>()
    .append(async (_text, ctx) => ({ result: await use(ctx) }), { key: "x" })
    .compile({ name: "app", store: memoryStore() });

/** Two nodes that wait beside each other. */
const pair = (ran = effects()) => {
  const asking = (key: string) => async (_text: string, ctx: NodeContext) => {
    ran.did(key);
    return `${await ctx.ask("q", `${key}?`)}`;
  };
  return new Graph<string, unknown>()
    .addNode("a", asking("a"), { outputKey: "a" })
    .addNode("b", asking("b"), { outputKey: "b" })
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge("a", END)
    .addEdge("b", END)
    .compile({ name: "pair", store: memoryStore() });
};

/** A Standard Schema that has no JSON Schema. */
const formless = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;

describe("Answers that do not belong to the run", () => {
  it("are errors, and nothing has run", async () => {
    const ran = effects();
    const app = pair(ran);
    const error = await interruptOf(app.invoke("", { checkpointId: "p" }));
    const recorder = recordingHandler();
    const wrong = await errorOf(app.resume("p", { nobody: "x" }, { callbacks: [recorder] }));
    expect(wrong.code).toBe("UNKNOWN_INTERRUPT");
    expect(wrong.message).toContain('"nobody"');
    const mixed = app.resume("p", { [idOf(error, "a?")]: "x", nobody: "x" }, { callbacks: [recorder] });
    expect(await errorOf(mixed)).toMatchObject({ code: "UNKNOWN_INTERRUPT" });
    expect(ran.counts()).toEqual({ a: 1, b: 1 });
    expect(recorder.events).toEqual([]);
  });

  it("leave the good ones beside them open", async () => {
    const app = pair();
    const error = await interruptOf(app.invoke("", { checkpointId: "p" }));
    await rejectedBy(app.resume("p", { [idOf(error, "a?")]: "x", nobody: "x" }));
    const answers = { [idOf(error, "a?")]: "A", [idOf(error, "b?")]: "B" };
    expect(await app.resume("p", answers)).toEqual({ a: "A", b: "B" });
  });

  it.each([["toString"], ["constructor"], ["__proto__"]])("may have the name %s", async (name) => {
    const app = pair();
    await interruptOf(app.invoke("", { checkpointId: "p" }));
    const answers = Object.defineProperty({}, name, { value: "x", enumerable: true });
    expect(await errorOf(app.resume("p", answers))).toMatchObject({ code: "UNKNOWN_INTERRUPT" });
  });

  it("come from another run", async () => {
    const app = pair();
    await interruptOf(app.invoke("", { checkpointId: "1" }));
    const other = await interruptOf(app.invoke("", { checkpointId: "2" }));
    const wrong = app.resume("1", { [idOf(other, "a?")]: "x" });
    expect(await errorOf(wrong)).toMatchObject({ code: "UNKNOWN_INTERRUPT" });
  });

  it("come a second time", async () => {
    const ran = effects();
    const app = pair(ran);
    const error = await interruptOf(app.invoke("", { checkpointId: "p" }));
    const a = { [idOf(error, "a?")]: "A" };
    await interruptOf(app.resume("p", a));
    expect(await errorOf(app.resume("p", a))).toMatchObject({ code: "ALREADY_ANSWERED" });
    expect(await errorOf(app.resume("p", { ...a, [idOf(error, "b?")]: "B" }))).toMatchObject({
      code: "ALREADY_ANSWERED",
    });
    expect(ran.counts()).toEqual({ a: 2, b: 1 });
    expect(await app.resume("p", { [idOf(error, "b?")]: "B" })).toEqual({ a: "A", b: "B" });
  });

  it("come a second time, while the same node asks something else", async () => {
    const app = around(async (ctx) => [await ctx.ask("1", "1?"), await ctx.ask("2", "2?")]);
    const first = await questionOf(app.invoke("", { checkpointId: "p" }));
    const second = await questionOf(app.resume("p", { [first.id]: "a" }));
    expect(await errorOf(app.resume("p", { [first.id]: "a" }))).toMatchObject({ code: "ALREADY_ANSWERED" });
    expect(await app.resume("p", { [second.id]: "b" })).toEqual({ result: ["a", "b"] });
  });

  it("come too late, for a run that has ended", async () => {
    const app = around((ctx) => ctx.ask("q", "?"));
    const { id } = await questionOf(app.invoke("", { checkpointId: "p" }));
    await app.resume("p", { [id]: "a" });
    expect(await errorOf(app.resume("p", { [id]: "a" }))).toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
  });
});

describe("No answers at all", () => {
  it("give the same questions once more when only these are left", async () => {
    const ran = effects();
    const app = pair(ran);
    const first = await interruptOf(app.invoke("", { checkpointId: "p" }));
    const second = await interruptOf(app.resume("p"));
    const third = await interruptOf(app.resume("p", {}));
    expect(second.interrupts).toEqual(first.interrupts);
    expect(third.interrupts).toEqual(first.interrupts);
    expect(ran.counts()).toEqual({ a: 1, b: 1 });
  });
});

describe("Answers by address", () => {
  it("reach the place that waits there", async () => {
    const app = pair();
    await interruptOf(app.invoke("", { checkpointId: "p" }));
    const error = await interruptOf(app.resume("p", { byAddress: { "runnable:pair;node:b": "B" } }));
    expect(error.interrupts).toMatchObject([{ address: "runnable:pair;node:a", info: "a?" }]);
    expect(await app.resume("p", { byAddress: { "runnable:pair;node:a": "A" } })).toEqual({ a: "A", b: "B" });
  });

  it("may be several, and may be falsy", async () => {
    const app = pair();
    await interruptOf(app.invoke("", { checkpointId: "p" }));
    const byAddress = { "runnable:pair;node:a": false, "runnable:pair;node:b": 0 };
    expect(await app.resume("p", { byAddress })).toEqual({ a: "false", b: "0" });
  });

  it("where nobody waits are an error", async () => {
    const ran = effects();
    const app = pair(ran);
    await interruptOf(app.invoke("", { checkpointId: "p" }));
    const error = await errorOf(app.resume("p", { byAddress: { "runnable:pair;node:c": 1 } }));
    expect(error.code).toBe("UNKNOWN_INTERRUPT");
    expect(error.message).toContain("runnable:pair;node:c");
    expect(ran.counts()).toEqual({ a: 1, b: 1 });
  });

  it("where two questions wait are an error; ids tell them apart", async () => {
    const ran = effects();
    const app = around((ctx) => {
      ran.did("x");
      return Promise.all([ctx.ask("1", "1?"), ctx.ask("2", "2?")]);
    });
    const both = await interruptOf(app.invoke("", { checkpointId: "p" }));
    const byAddress = { "runnable:app;node:x": "a" };
    expect(await errorOf(app.resume("p", { byAddress }))).toMatchObject({ code: "AMBIGUOUS_INTERRUPT" });
    expect(ran.counts()).toEqual({ x: 1 });
    const rest = await interruptOf(app.resume("p", { [idOf(both, "1?")]: "a" }));
    expect(rest.interrupts).toHaveLength(1);
    expect(await app.resume("p", { byAddress: { "runnable:app;node:x": "b" } })).toEqual({ result: ["a", "b"] });
  });
});

describe("A question with a schema", () => {
  const approval = z.object({ approved: z.boolean(), note: z.string().default("none") });
  const approving = (ran = effects()) =>
    around((ctx) => {
      ran.did("x");
      return ctx.ask("q", "ok?", approval);
    });

  it("says as JSON Schema what answers look like", async () => {
    const { schema } = await questionOf(approving().invoke("", { checkpointId: "s" }));
    expect(schema).toMatchObject({
      type: "object",
      properties: { approved: { type: "boolean" }, note: { type: "string" } },
      required: ["approved"],
    });
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it("gives what the schema gives: defaults, changed values", async () => {
    const app = approving();
    const { id } = await questionOf(app.invoke("", { checkpointId: "s" }));
    expect(await app.resume("s", { [id]: { approved: true } })).toEqual({ result: { approved: true, note: "none" } });
    const length = around((ctx) =>
      ctx.ask(
        "q",
        "?",
        z.string().transform((text) => text.length),
      ),
    );
    const question = await questionOf(length.invoke("", { checkpointId: "s" }));
    expect(question.schema).toMatchObject({ type: "string" });
    expect(await length.resume("s", { [question.id]: "four" })).toEqual({ result: 4 });
  });

  it.each([[{ approved: "yes" }], [{}], ["true"], [null], [undefined], [{ approved: true, note: 1 }]])(
    "refuses %j; nothing has run, and the question stays open",
    async (wrong) => {
      const ran = effects();
      const app = approving(ran);
      const { id } = await questionOf(app.invoke("", { checkpointId: "s" }));
      const recorder = recordingHandler();
      const error = await errorOf(app.resume("s", { [id]: wrong }, { callbacks: [recorder] }));
      expect(error.code).toBe("ANSWER_MISMATCH");
      expect(ran.counts()).toEqual({ x: 1 });
      expect(recorder.events).toEqual([]);
      expect(await app.resume("s", { [id]: { approved: false } })).toEqual({
        result: { approved: false, note: "none" },
      });
    },
  );

  it("refuses one answer of two: then the other one is not taken either", async () => {
    const yes = z.literal("yes");
    const app = around((ctx) => Promise.all([ctx.ask("1", "1?", yes), ctx.ask("2", "2?", yes)]));
    const both = await interruptOf(app.invoke("", { checkpointId: "s" }));
    const [one, two] = [idOf(both, "1?"), idOf(both, "2?")];
    expect(await errorOf(app.resume("s", { [one]: "yes", [two]: "no" }))).toMatchObject({ code: "ANSWER_MISMATCH" });
    expect(await app.resume("s", { [one]: "yes", [two]: "yes" })).toEqual({ result: ["yes", "yes"] });
  });

  it("asks once more when only the code's own schema can tell that an answer does not fit", async () => {
    const even = z.number().refine((value) => value % 2 === 0, "must be even");
    const app = around((ctx) => ctx.ask("q", "?", even));
    const { id } = await questionOf(app.invoke("", { checkpointId: "s" }));
    await rejectedBy(app.resume("s", { [id]: 3 }));
    expect((await questionOf(app.resume("s"))).id).toBe(id);
    expect(await app.resume("s", { [id]: 4 })).toEqual({ result: 4 });
  });

  it("may have a schema that answers later", async () => {
    const known = z.string().refine(async (value) => value === "ann", "unknown");
    const app = around((ctx) => ctx.ask("q", "?", known));
    const { id } = await questionOf(app.invoke("", { checkpointId: "s" }));
    await rejectedBy(app.resume("s", { [id]: "bob" }));
    expect(await app.resume("s", { [id]: "ann" })).toEqual({ result: "ann" });
  });

  it("may have a plain JSON Schema", async () => {
    const schema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } as const;
    const app = around((ctx) => ctx.ask("q", "?", schema));
    const question = await questionOf(app.invoke("", { checkpointId: "s" }));
    expect(question.schema).toMatchObject(schema);
    expect(await errorOf(app.resume("s", { [question.id]: { count: 1.5 } }))).toMatchObject({
      code: "ANSWER_MISMATCH",
    });
    expect(await app.resume("s", { [question.id]: { count: 2 } })).toEqual({ result: { count: 2 } });
  });

  it("that has no JSON Schema is an error of the node", async () => {
    const app = around((ctx) => ctx.ask("q", "?", plain(formless)));
    const error = await rejectedBy(app.invoke("", { checkpointId: "s" }));
    expect(isInterrupt(error)).toBe(false);
    expect(KumikoError.is(error)).toBe(true);
    expect(error).toMatchObject({ nodePath: ["x"] });
  });

  it("travels with ctx.interrupt too", async () => {
    const app = around((ctx) => {
      if (ctx.resume.hasData) return ctx.resume.data;
      return ctx.interrupt("?", { schema: z.object({ n: z.number() }) });
    });
    const question = await questionOf(app.invoke("", { checkpointId: "s" }));
    expect(question.schema).toMatchObject({ properties: { n: { type: "number" } } });
    expect(await errorOf(app.resume("s", { [question.id]: "x" }))).toMatchObject({ code: "ANSWER_MISMATCH" });
    expect(await app.resume("s", { [question.id]: { n: 1 } })).toEqual({ result: { n: 1 } });
  });

  it("says in the error where the answer does not fit", async () => {
    const app = around((ctx) => ctx.ask("q", "?", z.object({ deep: z.object({ count: z.number() }) })));
    const { id } = await questionOf(app.invoke("", { checkpointId: "s" }));
    const { message } = await errorOf(app.resume("s", { [id]: { deep: { count: "many" } } }));
    expect(message).toContain("count");
    expect(message).toContain("runnable:app;node:x");
  });

  it("is checked for answers by address as well", async () => {
    const app = approving();
    await questionOf(app.invoke("", { checkpointId: "s" }));
    const byAddress = { "runnable:app;node:x": { approved: 1 } };
    expect(await errorOf(app.resume("s", { byAddress }))).toMatchObject({ code: "ANSWER_MISMATCH" });
  });

  it("is checked before resumeStream runs anything", async () => {
    const ran = effects();
    const app = approving(ran);
    const { id } = await questionOf(app.invoke("", { checkpointId: "s" }));
    expect(await errorOf(app.resumeStream("s", { [id]: 1 }).concat())).toMatchObject({ code: "ANSWER_MISMATCH" });
    expect(ran.counts()).toEqual({ x: 1 });
  });
});
