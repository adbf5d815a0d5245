import { KumikoError, lambda, type NodeContext, type RunOptions, StreamReader, stateKey } from "kumiko";
import { describe, expect, it } from "vitest";
import { rejectedBy } from "./rejected-by.js";

type Work = (input: number, ctx: NodeContext) => unknown;

/** A node by itself that is given no options has no run around it until it asks for one. */
const works: Record<string, Work> = {
  "gives a value": (input) => input + 1,
  "gives a promise": async (input) => input + 1,
  "gives something with a `then`": (input) => ({
    then: (resolve: (value: number) => void) => resolve(input + 1),
  }),
  "gives a stream": (input) => StreamReader.from([`${input}`, "2"]),
  "gives a promise of a stream": async (input) => StreamReader.from([`${input}`, "2"]),
  "gives a stream that fails": () => StreamReader.from(failing()),
  throws: () => {
    throw new TypeError("no");
  },
  rejects: async () => {
    throw new TypeError("no");
  },
  "throws an error of this library": () => {
    throw new KumikoError("INVALID_OPTION", "mine");
  },
  "reads its signal": (_input, { signal }) => signal.aborted,
  "reads where it is": async (_input, { address, runInfo, state, options, resume }) => ({
    address,
    component: runInfo.component,
    parent: runInfo.parentRunId,
    state,
    options,
    resume,
  }),
  "asks for a state that nobody has": (_input, { processState }) =>
    processState(
      stateKey("count", () => 0),
      (count) => count,
    ),
  "has values of the request": (_input, { requestContext }) => requestContext.get("user"),
  "interrupts at once": (_input, { interrupt }) => interrupt("why"),
  "interrupts later": async (_input, { interrupt }) => {
    await undefined;
    interrupt("why");
  },
  "asks, and swallows that nobody answers": async (_input, { ask }) => {
    await ask("key", "why").catch(() => "swallowed");
    return "went on";
  },
  "asks twice at the same time": (_input, { ask }) => Promise.all([ask("a", "one"), ask("b", "two")]),
  "runs another node inside": (input, ctx) => inner.invoke(input, { parent: ctx }),
  "runs another node inside that fails": (_input, ctx) => inner.invoke(-1, { parent: ctx }),
  "runs another node inside that asks": (_input, ctx) => inner.invoke(0, { parent: ctx }),
  "leaves a stream open inside": async (_input, ctx) => {
    const reader = inner.stream(1, { parent: ctx });
    return (await reader[Symbol.asyncIterator]().next()).value;
  },
  "remembers work": (_input, { once }) => once("work", () => "done"),
  "copies its context": (_input, ctx) => ctx.with({ extra: 1 }).address,
};

async function* failing(): AsyncGenerator<string> {
  yield "1";
  throw new TypeError("no");
}

const inner = lambda({
  invoke: (input: number, ctx) => {
    if (input < 0) throw new TypeError("inside");
    return input === 0 ? ctx.interrupt("inside") : input + 1;
  },
});

interface End {
  readonly value?: unknown;
  readonly name?: unknown;
  readonly error?: unknown;
}

/** How a run ends, without what differs between any two runs. */
async function endOf(work: Work, options: RunOptions | undefined): Promise<End> {
  const node = lambda({ invoke: work });
  try {
    return { value: await node.invoke(1, options) };
  } catch (error) {
    if (!(error instanceof Error)) return { error };
    const { interrupts = [], nodePath, code, message } = error as Error & Record<string, unknown>;
    const asked = (interrupts as { address: string; info: unknown }[]).map(({ address, info }) => ({ address, info }));
    return { name: error.name, error: { code, message, nodePath, asked, cause: String(error.cause) } };
  }
}

describe("A node by itself ends the same with no options as with empty ones", () => {
  for (const [name, work] of Object.entries(works)) {
    it(`when it ${name}`, async () => {
      expect(await endOf(work, undefined)).toEqual(await endOf(work, {}));
    });
  }
});

describe("A node by itself", () => {
  it("says where an error came from, and that it waits", async () => {
    expect(await rejectedBy(lambda({ invoke: works.throws as Work }).invoke(1))).toMatchObject({ code: "NODE_FAILED" });
    expect(await rejectedBy(lambda({ invoke: works["interrupts later"] as Work }).invoke(1))).toMatchObject({
      name: "InterruptError",
      interrupts: [{ info: "why" }],
    });
  });

  it("has one run, however often it asks for it", async () => {
    const node = lambda({ invoke: (_input: number, ctx) => [ctx.taskKey, ctx.signal, ctx.taskKey, ctx.signal] });
    const [key, signal, ...again] = await node.invoke(1);
    expect(again[0]).toBe(key);
    expect(again[1]).toBe(signal);
  });

  it("stops what it left running when it fails", async () => {
    const signals: AbortSignal[] = [];
    const node = lambda({
      invoke: async (_input: number, { signal }) => {
        signals.push(signal);
        throw new Error("no");
      },
    });
    await rejectedBy(node.invoke(1));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("runs its function before `invoke` returns", () => {
    const seen: number[] = [];
    void lambda({ invoke: (input: number) => seen.push(input) }).invoke(7);
    expect(seen).toEqual([7]);
  });
});
