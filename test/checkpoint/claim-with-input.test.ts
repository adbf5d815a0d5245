import { Chain, END, Graph, memoryStore, pipe, START, StreamReader } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { forever, gate, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { type StoreCall, watchedStore } from "./watched-store.js";

const durabilities = [["exit"], ["step"]] as const;

describe.each(durabilities)("The claim of a new run has its input (durability %s)", (durability) => {
  it.each([["invoke"], ["stream"]])("in one write, before its first node starts (%s)", async (mode) => {
    const store = watchedStore();
    const seen: number[] = [];
    const app = orderChain({ on: () => void seen.push(store.puts) }, { store, durability });
    const options = { checkpointId: "id" };
    await questionOf(mode === "invoke" ? app.invoke("the input", options) : app.stream("the input", options).concat());
    expect(seen[0]).toBe(1);
    expect(store.calls[0]).toMatchObject({ kind: "put", text: expect.stringContaining("the input") });
  });

  it.each([["before"], ["after"]] as const)(
    "so that a kill leaves nothing, or a run that goes on (%s)",
    async (when) => {
      for (let at = 0; ; at++) {
        const rows = memoryStore();
        const [dead, log] = [gate(), [] as string[]];
        let calls = 0;
        const die = () => {
          if (calls++ !== at) return undefined;
          dead.open();
          return forever();
        };
        const hanging = orderChain({ log }, { store: watchedStore({ [when]: die }, rows), durability });
        const run = hanging.invoke("a", { checkpointId: "id" }).catch(() => "waits");
        const outcome = await Promise.race([run, dead.promise]);
        const next = watchedStore({ isOwnerAlive: () => false }, rows);
        const app = orderChain({ log }, { store: next, durability });
        const isThere = (await next.ids()).length > 0;
        const { id } = await questionOf(isThere ? app.resume("id") : app.invoke("a", { checkpointId: "id" }));
        expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
        if (outcome === "waits") return;
      }
    },
  );

  it("with the state that it begins with", async () => {
    const store = watchedStore();
    const reached = gate();
    const counting = (hold: () => unknown) =>
      new Chain<string>()
        .withState(() => ({ count: 40 }))
        .append(async (text, ctx) => {
          ctx.state.count += 1;
          await hold();
          return `${text}${ctx.state.count}`;
        })
        .compile({ store, durability });
    const hanging = counting(() => {
      reached.open();
      return forever();
    });
    hanging.invoke("a", { checkpointId: "id" }).catch(() => undefined);
    await reached.promise;
    expect(await counting(() => undefined).resume("id", undefined, { takeover: true })).toBe("a41");
  });

  it("as the schema of the graph made it, which sees it once", async () => {
    const store = watchedStore();
    let parsed = 0;
    const input = z.string().transform((text) => {
      parsed += 1;
      return text.length;
    });
    let fails = true;
    const app = new Graph({ input, output: z.number() })
      .addNode("double", (length: number) => {
        if (fails) throw new Error("boom");
        return 2 * length;
      })
      .addEdge(START, "double")
      .addEdge("double", END)
      .compile({ store, durability });
    expect((await errorOf(app.invoke("four", { checkpointId: "id" }))).code).toBe("NODE_FAILED");
    fails = false;
    expect(await app.resume("id")).toBe(8);
    expect(parsed).toBe(1);
  });

  it("and is not made for an input that does not fit, of which handlers hear as always", async () => {
    const store = watchedStore();
    const build = () =>
      new Graph({ input: z.string().min(3), output: z.string() })
        .addNode("same", (text: string) => text)
        .addEdge(START, "same")
        .addEdge("same", END);
    const told: string[][] = [];
    for (const options of [{}, { checkpointId: "id" }]) {
      const recorder = recordingHandler();
      const run = build()
        .compile({ store, durability })
        .invoke("a", { ...options, callbacks: [recorder] });
      expect((await errorOf(run)).code).toBe("VALIDATION");
      told.push(recorder.events.map(({ timing }) => timing));
    }
    expect(told[1]).toEqual(told[0]);
    expect(store.calls).toEqual([]);
  });

  it("and refuses an input that cannot be saved, before anything runs", async () => {
    const store = watchedStore();
    const log: string[] = [];
    const app = new Chain<unknown>().append(() => void log.push("ran")).compile({ store, durability });
    const error = await errorOf(app.invoke({ fn: () => 1 }, { checkpointId: "id" }));
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain("input of the graph: fn");
    expect([log, await store.ids()]).toEqual([[], []]);
  });
});

describe.each(durabilities)("An input that is a stream (durability %s)", (durability) => {
  /** A chain that reads its input whole, and then asks. */
  const reading = (store: ReturnType<typeof watchedStore>, hold: () => unknown = () => undefined) =>
    new Chain<string>()
      .append(async (text) => {
        await hold();
        return text;
      })
      .append(async (text, ctx) => `${text}${String(await ctx.ask("go", "go?"))}`)
      .compile({ store, durability });

  it("is claimed first: after a kill there is nothing to resume, and invoke starts anew", async () => {
    const rows = memoryStore();
    const { reader, writer } = pipe<string>();
    const hanging = reading(watchedStore({}, rows)).collect(reader, { checkpointId: "id" });
    hanging.catch(() => undefined);
    await writer.write("a");
    await turns();
    const next = watchedStore({ isOwnerAlive: () => false }, rows);
    expect(await next.ids()).toEqual(["id"]);
    expect((await errorOf(reading(next).resume("id"))).code).toBe("UNKNOWN_CHECKPOINT");
    const { id } = await questionOf(reading(next).collect(StreamReader.from(["b", "c"]), { checkpointId: "id" }));
    expect(await reading(next).resume("id", { [id]: "!" })).toBe("bc!");
  });

  it.each([["collect"], ["transform"]] as const)("is saved when it is whole (%s)", async (mode) => {
    const rows = memoryStore();
    const reached = gate();
    const hanging = reading(watchedStore({}, rows), () => {
      reached.open();
      return forever();
    });
    const source = StreamReader.from(["a", "b"]);
    const options = { checkpointId: "id" };
    const run = mode === "collect" ? hanging.collect(source, options) : hanging.transform(source, options).concat();
    run.catch(() => undefined);
    await reached.promise;
    await turns();
    const next = watchedStore({ isOwnerAlive: () => false }, rows);
    const { id } = await questionOf(reading(next).resume("id"));
    expect(await reading(next).resume("id", { [id]: "!" })).toBe("ab!");
  });

  it("is saved whole when the run stops after it", async () => {
    const store = watchedStore();
    const app = reading(store);
    const { id } = await questionOf(app.collect(StreamReader.from(["a", "b"]), { checkpointId: "id" }));
    expect(await app.resume("id", { [id]: "!" })).toBe("ab!");
    expect(await store.ids()).toEqual([]);
  });
});

describe('An input that is a stream (durability "exit")', () => {
  it("whose save fails does not end the run, which says so", async () => {
    const problems: unknown[] = [];
    const fail = ({ kind, text }: StoreCall) => {
      if (kind === "put" && text?.includes('"ab"') === true) throw new Error("no space left");
    };
    const store = watchedStore({ before: fail });
    const callbacks = [{ onEvent: (_info: unknown, event: unknown) => void problems.push(event) }];
    const app = new Chain<string>().append(async (text) => `${text}.`).compile({ store, callbacks });
    expect(await app.collect(StreamReader.from(["a", "b"]), { checkpointId: "id" })).toBe("ab.");
    expect(problems).toMatchObject([{ kind: "checkpoint_error", error: { code: "STORE_FAILED" } }]);
    expect(await store.ids()).toEqual([]);
  });

  it("whose save finds that the run was taken over ends it", async () => {
    const rows = memoryStore();
    const app = new Chain<string>()
      .append(async (text) => {
        await turns();
        return text;
      })
      .append((text) => `${text}.`)
      .compile({ store: rows });
    const { reader, writer } = pipe<string>();
    const run = rejectedBy(app.collect(reader, { checkpointId: "id" }));
    await writer.write("a");
    await turns();
    const other = orderChain({}, { store: rows });
    const { id } = await questionOf(other.invoke("b", { checkpointId: "id", forceNewRun: true, takeover: true }));
    writer.close();
    expect(await run).toMatchObject({ code: "CHECKPOINT_LOST" });
    expect(await other.resume("id", { [id]: "c" })).toBe("b>c.");
  });
});
