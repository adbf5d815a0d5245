import { constant, failureOf, firstOf, from, Graph, memoryStore, type NodeFailure, START, Workflow } from "kumiko";
import { describe, expect, it } from "vitest";

/** Fails for "a", and says what it does with anything else. */
function build(ran: string[] = [], fails = (text: string) => text === "a") {
  return new Workflow<string, { done: string; sorry: string | undefined; why: string | undefined }>()
    .addNode(
      "work",
      (text: string) => {
        ran.push("work");
        if (fails(text)) throw new Error(`no ${text}`);
        return { text: `worked on ${text}` };
      },
      { input: from(START) },
    )
    .addErrorBranch("work", ["sorry"], () => {
      ran.push("choose");
      return "sorry";
    })
    .addNode(
      "next",
      (text: string) => {
        ran.push("next");
        return text.length;
      },
      { input: from("work", "text") },
    )
    .addNode(
      "sorry",
      ({ failure, given, cause, next }) => {
        ran.push("sorry");
        return `${failure.node} ${given} ${failure.error.code} ${String(cause)} ${failure.attempts} ${next}`;
      },
      {
        input: {
          failure: failureOf("work"),
          given: failureOf("work", "input"),
          cause: failureOf("work", "error.cause.message"),
          next: from("next", { dataOnly: true }),
        },
      },
    )
    .end({
      done: firstOf(from("work", "text"), from("sorry")),
      sorry: from("sorry"),
      why: failureOf("work", "error.message"),
    });
}

const sorry = "work a NODE_FAILED no a 1 undefined";

describe("An error branch of a workflow", () => {
  it("leads the failure to its target, and skips what reads the output", async () => {
    const ran: string[] = [];
    const result = await build(ran).compile().invoke("a");
    expect(result).toMatchObject({ done: sorry, sorry });
    expect(result.why).toContain("no a");
    expect(ran).toEqual(["work", "choose", "sorry"]);
  });

  it("gives the same as a stream, saved and nested", async () => {
    const expected = await build().compile().invoke("a");
    const saved = build().compile({ store: memoryStore(), durability: "step" });
    expect(await build().compile().stream("a").concat()).toEqual(expected);
    expect(await saved.invoke("a", { checkpointId: "1" })).toEqual(expected);
    expect(await saved.stream("a", { checkpointId: "2" }).concat()).toEqual(expected);
    const nested = new Graph<string, typeof expected>()
      .addNode("flow", build())
      .addEdge("start", "flow")
      .addEdge("flow", "end")
      .compile();
    expect(await nested.invoke("a")).toMatchObject({ sorry });
  });

  it("is skipped when its node succeeds, and what reads the failure finds nothing", async () => {
    const ran: string[] = [];
    const app = build(ran).compile();
    expect(await app.invoke("b")).toEqual({ done: "worked on b" });
    expect(ran).toEqual(["work", "next"]);
    expect(await app.stream("b").concat()).toEqual({ done: "worked on b" });
  });

  it("leaves the failure as it is when it chooses nothing", async () => {
    const app = new Workflow<string, string | undefined>()
      .addNode("work", (): string => never(), {})
      .addErrorBranch("work", ["sorry"], ({ attempts }) => (attempts > 1 ? "sorry" : undefined))
      .addNode("sorry", (why: string) => why, { input: failureOf("work", "error.message") })
      .end(firstOf(from("work"), from("sorry")))
      .compile();
    await expect(app.invoke("a")).rejects.toMatchObject({ code: "NODE_FAILED", nodePath: ["work"] });
    await expect(app.stream("a").concat()).rejects.toMatchObject({ code: "NODE_FAILED", nodePath: ["work"] });
  });

  it("runs nothing when it chooses END, and the run goes on without the node", async () => {
    const app = new Workflow<string, { made: string | undefined }>()
      .addNode("work", (): string => never(), {})
      .addErrorBranch("work", ["end"], () => "end")
      .end({ made: from("work") })
      .compile();
    expect(await app.invoke("a")).toEqual({});
    expect(await app.stream("a").concat()).toEqual({});
  });

  it("stands between several targets", async () => {
    const app = new Workflow<string, string>()
      .addNode("work", (text: string): string => never(text), { input: from(START) })
      .addErrorBranch("work", ["short", "long"], ({ input }) => (input.length > 3 ? "long" : "short"))
      .addNode("short", (text: string) => `short ${text}`, { input: failureOf("work", "input") })
      .addNode("long", (text: string) => `long ${text}`, { input: failureOf("work", "input") })
      .end(firstOf(from("work"), from("short"), from("long")))
      .compile();
    expect(await app.invoke("a")).toBe("short a");
    expect(await app.stream("abcd").concat()).toBe("long abcd");
  });

  it("lets others run after the failure that they read", async () => {
    const ran: string[] = [];
    const app = (fails: boolean) =>
      new Workflow<string, { made?: string | undefined; ran: number }>()
        .addNode("work", (text: string) => (fails ? never(text) : text), { input: from(START) })
        .addErrorBranch("work", ["end"], () => "end")
        .addNode("log", (why: string) => ran.push(why), { input: failureOf("work", "input") })
        .addNode("later", () => ran.push("later"), { runAfter: ["log"] })
        .addNode("either", ({ made, why }) => ran.push(`${made} ${why}`), {
          input: { made: from("work"), why: failureOf("work", "input") },
        })
        .end({ made: from("work"), ran: from("either") }, { runAfter: ["later"] })
        .compile();
    await app(true).invoke("a");
    expect(ran.sort()).toEqual(["a", "later", "undefined a"]);
    ran.length = 0;
    expect(await app(false).stream("a").concat()).toEqual({ made: "a", ran: 1 });
    expect(ran).toEqual(["a undefined"]);
  });

  it("holds the stream of its node until it is whole", async () => {
    const app = new Workflow<string, string>()
      .addNode(
        "work",
        async function* (text: string) {
          yield text;
          if (text === "a") throw new Error("cut");
        },
        { input: from(START) },
      )
      .addErrorBranch("work", ["sorry"], () => "sorry")
      .addNode("sorry", () => "sorry")
      .end(firstOf(from("work"), from("sorry")))
      .compile();
    expect(await app.invoke("a")).toBe("sorry");
    expect(await app.stream("a").concat()).toBe("sorry");
    expect(await app.stream("b").concat()).toBe("b");
  });

  it("stands beside a branch and a switch of the same node", async () => {
    const app = new Workflow<string, string>()
      .addNode("plan", (text: string) => (text === "a" ? never(text) : ({ kind: text } as { kind: "x" | "y" })), {
        input: from(START),
      })
      .addErrorBranch("plan", ["sorry"], () => "sorry")
      .addSwitch("plan", "kind", { x: "left", y: "right" })
      .addNode("left", () => "left")
      .addNode("right", () => "right")
      .addNode("sorry", (why: string) => why, { input: failureOf("plan", "input") })
      .end(firstOf(from("left"), from("right"), from("sorry", { default: "nothing" })))
      .compile();
    for (const [input, expected] of [
      ["a", "a"],
      ["x", "left"],
      ["y", "right"],
    ] as const) {
      // biome-ignore format: a table
      expect(await app.invoke(input)).toBe(expected);
      expect(await app.stream(input).concat()).toBe(expected);
    }
  });

  it("is decided once, also over a crash", async () => {
    const ran: string[] = [];
    let crashes = true;
    const app = new Workflow<string, string>()
      .addNode(
        "work",
        (text: string): string => {
          ran.push("work");
          throw new Error(`no ${text}`);
        },
        { input: from(START) },
      )
      .addErrorBranch("work", ["sorry"], () => {
        ran.push("choose");
        return "sorry";
      })
      .addNode(
        "sorry",
        (cause: unknown) => {
          ran.push("sorry");
          if (crashes) throw new Error("crash");
          return String(cause);
        },
        { input: failureOf("work", "error.cause.message") },
      )
      .end(firstOf(from("work"), from("sorry")))
      .compile({ store: memoryStore(), durability: "step" });
    await expect(app.invoke("a", { checkpointId: "1" })).rejects.toThrow("crash");
    crashes = false;
    expect(await app.resume("1")).toBe("no a");
    expect(ran).toEqual(["work", "choose", "sorry", "sorry"]);
  });

  it.each(["exit", "step"] as const)(
    "keeps the failure for those that read it after a question (%s)",
    async (durability) => {
      const ran: string[] = [];
      const app = new Workflow<string, { said: string; why?: string }>()
        .addNode(
          "work",
          (text: string): string => {
            ran.push("work");
            return never(text);
          },
          { input: from(START) },
        )
        .addErrorBranch("work", ["ask"], () => "ask")
        .addNode(
          "ask",
          async (given: NodeFailure<string>, ctx) => `${given.input} ${await ctx.ask<string>("how", "how?")}`,
          {
            input: failureOf("work"),
          },
        )
        .addNode("late", (given: { said: string | undefined; why: string }) => `${given.said}: ${given.why}`, {
          input: { said: from("ask", { dataOnly: true }), why: failureOf("work", "input") },
        })
        .end({ said: firstOf(from("work"), from("ask")), why: from("late", { default: "none" }) })
        .compile({ store: memoryStore(), durability });
      for (const way of ["invoke", "stream"] as const) {
        ran.length = 0;
        const begun =
          way === "invoke" ? app.invoke("a", { checkpointId: way }) : app.stream("a", { checkpointId: way }).concat();
        const stopped = await begun.catch((error) => error);
        const answers = { [stopped.interrupts[0].id]: "so" };
        const result = way === "invoke" ? app.resume(way, answers) : app.resumeStream(way, answers).concat();
        expect(await result).toEqual({ said: "a so", why: "a so: a" });
        expect(ran).toEqual(["work"]);
      }
    },
  );

  it("comes after the retries, and after a fallback that fails", async () => {
    let tried = 0;
    const app = new Workflow<string, string>()
      .addNode("work", (text: string): string => never(`${text}${++tried}`), {
        input: from(START),
        retry: { attempts: 3, delayMs: 0 },
        fallback: ({ attempts }) => {
          throw new Error(`no fallback after ${attempts}`);
        },
      })
      .addErrorBranch("work", ["sorry"], () => "sorry")
      .addNode("sorry", (cause: unknown) => String(cause), { input: failureOf("work", "error.cause.message") })
      .end(firstOf(from("work"), from("sorry")))
      .compile();
    expect(await app.invoke("a")).toBe("no fallback after 3");
    expect(await app.stream("a").concat()).toBe("no fallback after 3");
  });

  it("is seen in the picture, and by untyped code, in any order", async () => {
    const app = new Workflow<string, unknown>()
      .untyped()
      .addErrorBranch("work", ["sorry"], ({ node }) => (node === "work" ? "sorry" : undefined))
      .addNode("sorry", (why: string) => why, { input: failureOf("work", "input") })
      .end({ made: from("work"), why: from("sorry"), fixed: constant(1) })
      .addNode("work", (text: string) => never(text), { input: from(START) })
      .compile();
    expect(await app.invoke("a")).toEqual({ why: "a", fixed: 1 });
    expect(app.graphInfo().edges).toEqual([
      { from: "work", to: "sorry", kind: "data", label: "failure.input →" },
      { from: "start", to: "work", kind: "data" },
      { from: "work", to: "end", kind: "data", label: "→ made" },
      { from: "sorry", to: "end", kind: "data", label: "→ why" },
      { from: "work", to: "sorry", kind: "error" },
    ]);
  });
});

describe("A workflow refuses", () => {
  const flow = () =>
    new Workflow<string, unknown>().untyped().addNode("work", (text: string) => text, { input: from(START) });

  it("to read a failure that nothing takes", () => {
    expect(() =>
      flow()
        .end({ why: failureOf("work") })
        .compile(),
    ).toThrow('reads the failure of "work", which has no error branch. Call addErrorBranch("work", …).');
    expect(() =>
      flow()
        .end({ why: failureOf("nobody") })
        .compile(),
    ).toThrow('"nobody" needs to be added');
    expect(() => failureOf("work", "a..b")).toThrow("a path with an empty step");
    expect(() => failureOf("")).toThrow("A source names a node by its key");
    expect(() => failureOf("work", {} as string)).toThrow("needs a path that is a string");
  });

  it("a second error branch of a node, one of START, and one that leads back", () => {
    const branch = (builder: ReturnType<typeof flow>, key: string, to = "end") =>
      builder.addErrorBranch(key, [to], () => to);
    expect(() => branch(flow(), "start")).toThrow("does not fail");
    expect(() => branch(branch(flow(), "work"), "work")).toThrow("is a second error branch");
    expect(() => branch(flow(), "end")).toThrow("END cannot be a start node");
    expect(() => branch(flow(), "work", "work").end(from("work")).compile()).toThrow("work");
    expect(() => branch(flow(), "other").end(from("work")).compile()).toThrow('"other" needs to be added');
    expect(() => branch(flow(), "work", "other").end(from("work")).compile()).toThrow('"other" needs to be added');
  });
});

function never(text = ""): never {
  throw new Error(`no ${text}`);
}
