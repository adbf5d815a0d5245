import { constant, END, firstOf, from, KumikoError, type Mapping, START, Workflow } from "kumiko";
import { describe, expect, it } from "vitest";

const same = (given: unknown): unknown => given;
const loose = () => new Workflow<unknown, unknown>().untyped();
const code = (expected: string) => expect.objectContaining({ code: expected });

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}

/** What a run of one mapping fails with, on values and on streams. */
async function failuresOf(mapping: Mapping, input: unknown): Promise<unknown[]> {
  const flow = loose().addNode("read", same, { input: mapping }).end(from("read")).compile();
  const runs = [() => flow.invoke(input), () => flow.stream(input).concat()];
  return Promise.all(
    runs.map((run) =>
      run().then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
}

describe("compile() of a workflow refuses", () => {
  it("a source that is no node", () => {
    const flow = loose()
      .addNode("a", same, { input: from("gone") })
      .end(from("a"));
    expect(thrownBy(() => flow.compile())).toEqual(code("UNKNOWN_NODE"));
    expect(thrownBy(() => flow.compile())).toHaveProperty("message", expect.stringContaining('"gone"'));
  });

  it("runAfter and branch targets that are no nodes", () => {
    const after = loose()
      .addNode("a", same, { runAfter: ["gone"] })
      .end(from("a"));
    expect(thrownBy(() => after.compile())).toEqual(code("UNKNOWN_NODE"));
    const branch = loose()
      .addBranch(START, ["gone"], () => "gone")
      .end(from(START));
    expect(thrownBy(() => branch.compile())).toEqual(code("UNKNOWN_NODE"));
  });

  it("a loop, and says where it goes", () => {
    const flow = loose()
      .addNode("a", same, { input: from("b") })
      .addNode("b", same, { input: { x: from("a", "x", { dataOnly: true }) } })
      .end(from("b"));
    const error = thrownBy(() => flow.compile());
    expect(error).toEqual(code("CYCLE"));
    expect(error).toHaveProperty("message", expect.stringContaining("[a → b → a]"));
  });

  it("a node that reads itself, and a branch back to its own source", () => {
    expect(
      thrownBy(() =>
        loose()
          .addNode("a", same, { input: from("a") })
          .end(from("a"))
          .compile(),
      ),
    ).toEqual(code("CYCLE"));
    const back = loose()
      .addNode("a", same)
      .addBranch("a", ["a"], () => "a")
      .end(from("a"));
    expect(thrownBy(() => back.compile())).toEqual(code("CYCLE"));
  });

  it("a workflow without an output, and a second one", () => {
    expect(thrownBy(() => loose().addNode("a", same).compile())).toEqual(code("UNREACHABLE_END"));
    expect(thrownBy(() => loose().end(from(START)).end(from(START)))).toEqual(code("INVALID_OPTION"));
  });

  it("options that a workflow does not have", () => {
    const flow = loose().end(from(START));
    for (const options of [{ triggerMode: "anyPredecessor" }, { maxSteps: 3 }])
      expect(thrownBy(() => flow.compile(options as object))).toEqual(code("INVALID_OPTION"));
    for (const options of [{ inputKey: "a" }, { outputKey: "a" }, { merge: same }, { inputs: {} }])
      expect(thrownBy(() => loose().addNode("a", same, options as object))).toEqual(code("INVALID_OPTION"));
    const misspelled = { inputs: from(START, "text") } as object;
    expect(() => loose().addNode("a", same, misspelled)).toThrow(
      /^Unknown option "inputs" of node "a"\. Did you mean "input"\? Options: input, runAfter, name, options, concat,/,
    );
    expect(thrownBy(() => loose().addNode("a", same, { runAfter: [END] }))).toEqual(code("INVALID_OPTION"));
  });
});

describe("A mapping that is none", () => {
  const hidden = JSON.parse('{ "__proto__": { "kind": "value" } }') as Mapping;
  const around: Record<string, unknown> = {};
  around.self = around;
  const wrong: readonly (readonly [string, unknown])[] = [
    ["a text", "search"],
    ["a list", [from(START)]],
    ["null", null],
    ["a field that is undefined", { a: undefined }],
    ["an own field __proto__", hidden],
    ["a prototype instead of a field", Object.setPrototypeOf({ a: from(START) }, { b: from(START) })],
    ["a record that contains itself", around],
    ["END as a source", { a: from(END) }],
    ["a function", { a: () => 1 }],
  ];
  it.each(wrong)("is refused where the node is added: %s", (_, mapping) => {
    const error = thrownBy(() => loose().addNode("read", same, { input: mapping as Mapping }));
    expect(error).toEqual(code("INVALID_MAPPING"));
    expect(KumikoError.is(error) && error.nodePath).toEqual(["read"]);
  });

  it.each(["", ".", "a..b", "a.", "__proto__", "a.__proto__.b"])("is refused for the path %j", (path) => {
    expect(thrownBy(() => from("a", path))).toEqual(code("INVALID_MAPPING"));
  });

  it("is refused for options and sources that are none", () => {
    expect(thrownBy(() => from("a", { only: true } as object))).toEqual(code("INVALID_OPTION"));
    expect(thrownBy(() => from("a", "b", { dataOnly: 1 as never }))).toEqual(code("INVALID_OPTION"));
    expect(thrownBy(() => firstOf(constant(1) as never))).toEqual(code("INVALID_OPTION"));
    expect(thrownBy(() => from("a", 1 as never))).toEqual(code("INVALID_OPTION"));
    expect(thrownBy(() => from("a", (() => 1) as never, { required: true }))).toEqual(code("INVALID_OPTION"));
    expect(thrownBy(() => from(1 as never))).toEqual(code("INVALID_OPTION"));
  });
});

describe("A mapping fails its node", () => {
  it.each([
    ["a step into a scalar", from(START, "a.b"), { a: 5 }],
    ["a step into a text", from(START, "length"), "text"],
    ["a star over no list", from(START, "a.*.b"), { a: { b: 1 } }],
    ["what is required and missing", from(START, "b", { required: true }), { a: 1 }],
    ["what is required behind null", { x: from(START, "a.b", { required: true }) }, { a: null }],
  ])("for %s", async (_, mapping, input) => {
    for (const error of await failuresOf(mapping as Mapping, input)) {
      expect(error).toEqual(code("MAPPING_FAILED"));
      expect(KumikoError.is(error) && error.nodePath).toEqual(["read"]);
      expect(error).toHaveProperty("message", expect.stringMatching(/node "read".*"start"/));
    }
  });

  it("with the error of extract", async () => {
    const broken = from(START, (): never => {
      throw new RangeError("too far");
    });
    for (const error of await failuresOf({ x: broken }, 1)) {
      expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["read"], cause: expect.any(RangeError) });
    }
  });
});

describe("What is missing", () => {
  const read = async (mapping: Mapping, input: unknown): Promise<unknown> => {
    const flow = loose().end(mapping).compile();
    const whole = await flow.invoke(input);
    expect(await flow.stream(input).concat()).toEqual(whole);
    return whole;
  };

  it("is left out, and a whole input is undefined", async () => {
    expect(
      await read({ a: from(START, "x"), b: from(START, "l.3"), c: from(START, "n.x") }, { l: [1], n: null }),
    ).toEqual({});
    expect(await read(from(START, "x"), {})).toBeUndefined();
    expect(Object.keys((await read({ a: from(START, "a") }, { a: undefined })) as object)).toEqual(["a"]);
  });

  it("is replaced by a default, null is not", async () => {
    const sources = {
      a: from(START, "a", { default: 1 }),
      b: from(START, "b", { default: 2 }),
      c: from(START, "c", { default: 3 }),
    };
    expect(await read(sources, { b: undefined, c: null })).toEqual({ a: 1, b: 2, c: null });
    expect(
      await read({ first: firstOf(from(START, "a"), from(START, "b"), from(START, "c")) }, { b: null, c: 1 }),
    ).toEqual({
      first: null,
    });
  });

  it("stays undefined in lists", async () => {
    expect(await read(from(START, "l.*.a.*"), { l: [{ a: [1, 2] }, {}, null, { a: [] }] })).toEqual([
      [1, 2],
      undefined,
      undefined,
      [],
    ]);
  });

  it("is what an object only inherits", async () => {
    expect(await read({ a: from(START, "constructor"), b: from(START, "toString.name") }, {})).toEqual({});
    expect(await read(from(START, "constructor"), { constructor: "own" })).toBe("own");
  });
});

describe("A constant", () => {
  it("is copied for each run, with its cycles, and other objects are given as they are", async () => {
    const when = new Date(0);
    const list: unknown[] = [{ deep: [1] }];
    list.push(list);
    const flow = loose()
      .addNode("read", (given: { list: unknown[]; when: Date }) => given, {
        input: { list: constant(list), when: constant(when) },
      })
      .end(from("read"))
      .compile();
    const [first, second] = (await Promise.all([flow.invoke(1), flow.invoke(1)])) as { list: unknown[]; when: Date }[];
    expect(first?.list).not.toBe(list);
    expect(first?.list[0]).not.toBe(second?.list[0]);
    expect(first?.list[1]).toBe(first?.list);
    expect(first?.when).toBe(when);
  });
});
