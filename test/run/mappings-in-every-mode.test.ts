import {
  type CompiledGraph,
  firstOf,
  from,
  lambda,
  memoryStore,
  type NodeFailure,
  type RunOptions,
  START,
  StreamReader,
  Workflow,
} from "kumiko";
import { describe, expect, it } from "vitest";

type App = CompiledGraph<never, unknown>;

const chunks = () => StreamReader.from([{ a: "x" }, { b: "y" }] as never[]);
const whole = { a: "x", b: "y" } as never;

/** Every way to call a workflow. */
const modes: Readonly<Record<string, (app: App, options?: RunOptions) => Promise<unknown>>> = {
  invoke: (app, options) => app.invoke(whole, options),
  stream: (app, options) => app.stream(whole, options).concat(),
  collect: (app, options) => app.collect(chunks(), options),
  transform: (app, options) => app.transform(chunks(), options).concat(),
};

const companies: Readonly<Record<string, () => RunOptions>> = {
  plain: () => ({}),
  watched: () => ({ callbacks: [{ onStart() {} }] }),
  saved: () => ({ checkpointId: "1" }),
  limited: () => ({ maxConcurrency: 1 }),
};

const refuse = (): never => {
  throw new Error("no");
};

/** Why the input of a node cannot be made. */
const causes: Readonly<Record<string, unknown>> = {
  "a required field is missing": { v: from(START, "nope", { required: true }) },
  "a required field is missing beside others": { a: from(START, "a"), v: from(START, "nope", { required: true }) },
  "a required field is undefined": { v: from("none", "v", { required: true }) },
  "a required source returned undefined": { v: from("nothing", { required: true }) },
  "a required whole input is undefined": from("nothing", { required: true }),
  "a required whole input is missing": from(START, "nope", { required: true }),
  "a path leads into a string": { v: from(START, "a.b.c") },
  "a list is expected": { v: from(START, "a.*.b") },
  "the first of two is required": { v: firstOf(from(START, "nope", { required: true }), from(START, "a")) },
  "a function throws": { v: from(START, refuse as never) },
  "a function rejects": { v: from(START, (async () => refuse()) as never) },
};

/** What the node is: each reads its input in another way. */
const natives: Readonly<Record<string, () => unknown>> = {
  invoke: () => async (input: unknown) => input,
  stream: () =>
    async function* (input: unknown) {
      yield input;
    },
  collect: () => lambda({ collect: async (stream) => stream.concat() }),
  transform: () =>
    lambda({
      transform: async function* (stream) {
        for await (const chunk of stream) yield chunk;
      },
    }),
};

const workflow = () =>
  new Workflow<never, unknown>()
    .untyped()
    .addNode("none", () => ({ v: undefined }), { input: from(START) as never })
    .addNode("nothing", () => undefined, { input: from(START) as never });

describe.each(Object.entries(causes))("When %s", (_, input) => {
  describe.each(Object.entries(natives))("a node with %s", (_native, body) => {
    it.each(Object.entries(companies))("takes its error branch in every mode (%s)", async (_company, options) => {
      const failures: NodeFailure[] = [];
      const app = (): App =>
        workflow()
          .addNode("n", body() as never, { input: input as never, retry: { attempts: 3, delayMs: 0 } })
          .addErrorBranch("n", ["t"], (failure) => {
            failures.push(failure);
            return "t";
          })
          .addNode("t", () => "branch", {})
          .end({ n: from("n"), t: from("t") })
          .compile({ store: memoryStore() });
      for (const run of Object.values(modes)) expect(await run(app(), options())).toEqual({ t: "branch" });
      const told = failures.map(({ node, input: given, attempts, error }) => [node, given, attempts, error.code]);
      expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1);
      expect(told[0]?.slice(0, 3)).toEqual(["n", undefined, 0]);
    });

    it("fails there in every mode without an error branch, and fallback is not asked", async () => {
      const app = workflow()
        .addNode("n", body() as never, { input: input as never, fallback: () => "fallback" })
        .end({ n: from("n") })
        .compile();
      for (const run of Object.values(modes)) await expect(run(app)).rejects.toMatchObject({ nodePath: ["n"] });
    });
  });
});

describe("What is undefined", () => {
  const ends: Readonly<Record<string, readonly [mapping: unknown, result: unknown]>> = {
    "is left to the next source of firstOf": [{ v: firstOf(from("none", "v"), from(START, "a")) }, { v: "x" }],
    "is left to the next source of a whole output": [
      firstOf(from("nothing"), from("none", "v"), from(START, "b")),
      "y",
    ],
    "is replaced by a default": [
      { v: from("none", "v", { default: 1 }), w: from("nothing", { default: 2 }) },
      { v: 1, w: 2 },
    ],
  };

  it.each(Object.entries(ends))("%s, in every mode", async (_, [mapping, result]) => {
    const app = workflow()
      .end(mapping as never)
      .compile();
    for (const run of Object.values(modes)) expect(await run(app)).toEqual(result);
  });
});

/** What names a node in runAfter, and reads it too. */
const readings: Readonly<Record<string, unknown>> = {
  from: { v: from("b") },
  "a whole from": from("b"),
  "a data-only from": { v: from("b", { dataOnly: true }), s: from(START, "a") },
  firstOf: { v: firstOf(from(START, "a"), from("b")) },
  "firstOf that stops before it": firstOf(from(START, "a"), from("b")),
  extract: { v: from("b", (text: string) => text) },
  nothing: { s: from(START, "a") },
};

describe.each(Object.entries(readings))("runAfter of a node that is read with %s", (_, mapping) => {
  describe.each(Object.entries(modes))("in %s", (_mode, run) => {
    it.each(Object.entries(companies))("waits for its end, at a node and at END (%s)", async (_company, options) => {
      for (const place of ["node", "end"] as const) {
        for (const [native, body] of Object.entries(natives)) {
          const log: string[] = [];
          const noted = lambda({
            transform: async function* (stream: AsyncIterable<unknown>) {
              log.push(native);
              for await (const _ of stream);
              yield "done";
            },
          });
          const slow = async function* () {
            log.push("starts");
            yield "b";
            await new Promise((resolve) => setImmediate(resolve));
            log.push("ends");
          };
          const made = new Workflow<never, unknown>()
            .untyped()
            .addNode("b", slow, { input: from(START) as never, concat: "text" })
            .addNode("n", noted as never, { input: mapping as never, runAfter: ["b"] });
          const app =
            place === "node"
              ? made.end({ n: from("n") }).compile({ store: memoryStore() })
              : new Workflow<never, unknown>()
                  .untyped()
                  .addNode("b", slow, { input: from(START) as never, concat: "text" })
                  .addNode("other", body() as never, { input: from(START) as never })
                  .end(mapping as never, { runAfter: ["b"] })
                  .compile({ store: memoryStore() });
          await run(app, options());
          expect(log).toEqual(place === "node" ? ["starts", "ends", native] : ["starts", "ends"]);
        }
      }
    });
  });
});
