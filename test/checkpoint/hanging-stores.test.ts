import { type CompileOptions, isInterrupt, memoryStore, RunControl, type RunOptions } from "kumiko";
import { beforeAll, describe, expect, it } from "vitest";
import { readTree } from "../../src/checkpoint/document/read-document.js";
import { forever, gate, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { type OrderHooks, orderChain } from "./order-chain.js";
import { type StoreCall, watchedStore } from "./watched-store.js";

const reason = new Error("the caller is gone");

/** A store of which a call hangs when it should, until the gate opens; before or after it did what it should. */
function hangingStore(hangs: (call: StoreCall, nth: number) => boolean, when: "before" | "after" = "before") {
  const [hung, opened] = [gate(), gate()];
  let nth = 0;
  const hook = (call: StoreCall) => {
    if (!hangs(call, nth++)) return undefined;
    hung.open();
    return opened.promise;
  };
  const store = watchedStore({ [when]: hook, isOwnerAlive: () => true });
  return { store, hung: hung.promise, open: () => opened.open() };
}

const isPut = ({ kind }: StoreCall) => kind === "put";

/** Starts a run that hangs in a call of its store, and stops it there. */
async function stoppedThere(hung: Promise<unknown>, start: (options: RunOptions) => Promise<unknown>, how: string) {
  const stop = new AbortController();
  const run = rejectedBy(start(how === "signal" ? { signal: stop.signal } : { timeoutMs: 100 }));
  await hung;
  stop.abort(reason);
  return run;
}

beforeAll(() => questionOf(orderChain({}, { store: memoryStore() }).invoke("a", { checkpointId: "id" })));

const expected = (how: string) => (how === "signal" ? reason : expect.objectContaining({ name: "TimeoutError" }));

describe.concurrent.each([["signal"], ["timeoutMs"]])("A run whose store hangs is ended by its %s", (how) => {
  it.each([["invoke"], ["stream"]])("while it claims (%s): nothing runs", async (mode) => {
    const log: string[] = [];
    const { store, hung } = hangingStore(isPut);
    const app = orderChain({ log }, { store });
    const start = (options: RunOptions) =>
      mode === "invoke"
        ? app.invoke("a", { checkpointId: "id", ...options })
        : app.stream("a", { checkpointId: "id", ...options }).concat();
    expect(await stoppedThere(hung, start, how)).toEqual(expected(how));
    expect(log).toEqual([]);
  });

  it.each([["get"], ["put"], ["isOwnerAlive"]])("while a resume claims, in %s: nothing runs", async (call) => {
    const log: string[] = [];
    const rows = memoryStore();
    const { id } = await questionOf(orderChain({}, { store: rows }).invoke("a", { checkpointId: "id" }));
    const hung = gate();
    const hang = () => {
      hung.open();
      return forever();
    };
    const hanging = watchedStore({ before: ({ kind }) => (kind === call ? hang() : undefined) }, rows);
    const store = call === "isOwnerAlive" ? { ...hanging, isOwnerAlive: hang } : hanging;
    if (call === "isOwnerAlive") {
      const row = await rows.get("id");
      if (row === undefined) throw new Error("There is no row.");
      const claimed = { ...readTree(row).finish(), status: "running", owner: "somebody" };
      await rows.put("id", new TextEncoder().encode(JSON.stringify(claimed)), row.version);
    }
    const app = orderChain({ log }, { store });
    const start = (options: RunOptions) => app.resume("id", { [id]: "b" }, options);
    expect(await stoppedThere(hung.promise, start, how)).toEqual(expected(how));
    expect(log).toEqual([]);
  });

  it.each([["invoke"], ["stream"]])("while a step is saved (%s)", async (mode) => {
    const log: string[] = [];
    const { store, hung } = hangingStore((call) => isPut(call) && log.length > 0);
    const app = orderChain({ log }, { store, durability: "step" });
    const start = (options: RunOptions) =>
      mode === "invoke"
        ? app.invoke("a", { checkpointId: "id", ...options })
        : app.stream("a", { checkpointId: "id", ...options }).concat();
    expect(await stoppedThere(hung, start, how)).toEqual(expected(how));
    expect(log).toEqual(["first"]);
  });

  it("while its question is saved: no interrupt, as nobody could answer it", async () => {
    const log: string[] = [];
    const { store, hung } = hangingStore((call) => isPut(call) && log.includes("asks"));
    const app = orderChain({ log }, { store });
    const start = (options: RunOptions) => app.invoke("a", { checkpointId: "id", ...options });
    expect(await stoppedThere(hung, start, how)).toEqual(expected(how));
  });

  it("while its failure is saved: it rejects with the failure", async () => {
    const log: string[] = [];
    const { store, hung } = hangingStore((call) => isPut(call) && log.length > 0);
    const on = () => {
      throw new Error("boom");
    };
    const app = orderChain({ log, on }, { store });
    const start = (options: RunOptions) => app.invoke("a", { checkpointId: "id", ...options });
    expect(await stoppedThere(hung, start, how)).toMatchObject({ code: "NODE_FAILED" });
  });

  it.each([["resume"], ["resumeStream"]])("while its checkpoint is removed (%s): it has its result", async (mode) => {
    const { store, hung } = hangingStore(({ kind }) => kind === "delete");
    const app = orderChain({}, { store });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const stop = new AbortController();
    const options = how === "signal" ? { signal: stop.signal } : { timeoutMs: 100 };
    const answers = { [id]: "b" };
    const run =
      mode === "resume" ? app.resume("id", answers, options) : app.resumeStream("id", answers, options).concat();
    await hung;
    stop.abort(reason);
    expect(await run).toBe("a>b.");
  });
});

/** Runs until the store hangs, and is stopped there. */
async function abandoned(
  { store, hung }: ReturnType<typeof hangingStore>,
  hooks: OrderHooks,
  extra: CompileOptions = {},
) {
  const app = orderChain(hooks, { store, ...extra });
  const start = (options: RunOptions) => app.invoke("a", { checkpointId: "id", ...options });
  expect(await stoppedThere(hung, start, "signal")).toBe(reason);
  return app;
}

describe.concurrent("A store that goes on after its run was ended", () => {
  it.each([["before"], ["after"]] as const)("leaves no claim of a new run behind (%s it was written)", async (when) => {
    const log: string[] = [];
    const hanging = hangingStore((call, nth) => isPut(call) && nth === 0, when);
    await abandoned(hanging, { log });
    hanging.open();
    await turns();
    expect(await hanging.store.ids()).toEqual([]);
    expect(log).toEqual([]);
  });

  it("leaves no claim behind when another run has come and gone under the id meanwhile", async () => {
    const hanging = hangingStore((call, nth) => isPut(call) && nth === 0);
    const app = await abandoned(hanging, {});
    const { id } = await questionOf(app.invoke("other", { checkpointId: "id" }));
    expect(await app.resume("id", { [id]: "b" })).toBe("other>b.");
    hanging.open();
    await turns();
    expect(await hanging.store.ids()).toEqual([]);
  });

  it("leaves alone a run that has come under the id meanwhile", async () => {
    const hanging = hangingStore((call, nth) => isPut(call) && nth === 0);
    const app = await abandoned(hanging, {});
    const { id } = await questionOf(app.invoke("other", { checkpointId: "id" }));
    hanging.open();
    await turns();
    expect(await app.resume("id", { [id]: "b" })).toBe("other>b.");
  });

  it("brings back what a new run has replaced", async () => {
    const hanging = hangingStore((call) => isPut(call) && call.text?.includes("forced") === true);
    const app = orderChain({}, { store: hanging.store });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const force = { checkpointId: "id", forceNewRun: true };
    const start = (options: RunOptions) => app.invoke("forced", { ...force, ...options });
    expect(await stoppedThere(hanging.hung, start, "signal")).toBe(reason);
    hanging.open();
    await turns();
    expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
  });

  it.each([["before"], ["after"]] as const)(
    "gives an answer back that was to be claimed (%s it was written)",
    async (when) => {
      const log: string[] = [];
      let claims = false;
      const hanging = hangingStore((call) => isPut(call) && claims, when);
      const app = orderChain({ log }, { store: hanging.store });
      const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
      const former = await hanging.store.text("id");
      claims = true;
      const start = (options: RunOptions) => app.resume("id", { [id]: "lost" }, options);
      expect(await stoppedThere(hanging.hung, start, "signal")).toBe(reason);
      claims = false;
      hanging.open();
      await turns();
      expect(await hanging.store.text("id")).toBe(former);
      expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
      expect(log).toEqual(["first", "asks", "asks", "question", "last"]);
    },
  );

  it("does not claim for a resume that has only read when it was ended", async () => {
    const hanging = hangingStore((call, nth) => call.kind === "get" && nth < 4);
    const app = orderChain({}, { store: hanging.store });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const { puts } = hanging.store;
    const start = (options: RunOptions) => app.resume("id", { [id]: "lost" }, options);
    expect(await stoppedThere(hanging.hung, start, "signal")).toBe(reason);
    hanging.open();
    await turns();
    expect(hanging.store.puts).toBe(puts);
    expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
  });

  it.each([["exit"], ["step"]] as const)(
    "still saves the run, if nobody else has it (durability %s)",
    async (durability) => {
      const log: string[] = [];
      const hanging = hangingStore((call) => isPut(call) && log.includes("first") && !log.includes("hung"));
      const stop = new AbortController();
      const on = (node: string) => {
        if (node === "question") stop.abort(reason);
      };
      const app = orderChain({ log, on }, { store: hanging.store, durability });
      if (durability === "step") {
        await abandoned(hanging, { log }, { durability });
      } else {
        const run = rejectedBy(app.invoke("a", { checkpointId: "id", signal: stop.signal }));
        await hanging.hung;
        stop.abort(reason);
        expect(isInterrupt(await run)).toBe(false);
      }
      log.push("hung");
      hanging.open();
      await turns();
      expect(await hanging.store.text("id")).toMatch(/"status":"(?:stopped|waiting)"/);
      const again = orderChain({ log }, { store: hanging.store, durability });
      const { id } = await questionOf(again.resume("id"));
      expect(await again.resume("id", { [id]: "b" })).toBe("a>b.");
      expect(log.filter((entry) => entry === "first")).toEqual(["first"]);
    },
  );

  it.each([["before"], ["after"]] as const)(
    "brings nothing back once this process went on with the run (%s it was written)",
    async (when) => {
      const log: string[] = [];
      let hangs = true;
      const hanging = hangingStore((call) => isPut(call) && hangs && log.includes("first"), when);
      await abandoned(hanging, { log }, { durability: "step" });
      hangs = false;
      const app = orderChain({ log }, { store: hanging.store, durability: "step" });
      const { id } = await questionOf(app.resume("id"));
      expect(await app.resume("id", { [id]: "b" })).toBe("a>b.");
      hanging.open();
      await turns();
      expect(await hanging.store.ids()).toEqual([]);
    },
  );

  it("tells handlers of a run that had begun that its store did not answer", async () => {
    const log: string[] = [];
    const problems: unknown[] = [];
    const hanging = hangingStore((call) => isPut(call) && log.length > 0);
    const callbacks = [{ onEvent: (_info: unknown, event: unknown) => void problems.push(event) }];
    const app = orderChain({ log }, { store: hanging.store, durability: "step", callbacks });
    const start = (options: RunOptions) => app.invoke("a", { checkpointId: "id", ...options });
    expect(await stoppedThere(hanging.hung, start, "signal")).toBe(reason);
    expect(problems).toMatchObject([{ kind: "checkpoint_error", error: { code: "STORE_FAILED" } }]);
  });

  it("says of the run that was left that it waits for nobody: its checkpoint can be resumed at once", async () => {
    const log: string[] = [];
    const hanging = hangingStore((call) => isPut(call) && log.length === 1);
    await abandoned(hanging, { log }, { durability: "step" });
    log.push("later");
    const app = orderChain({}, { store: hanging.store, durability: "step" });
    expect((await errorOf(app.resume("id"))).code).toBe("INTERRUPTED");
  });
});

it("A run whose claim hangs is ended by a RunControl with a time limit, some time later", async () => {
  const log: string[] = [];
  const { store, hung } = hangingStore(isPut);
  const app = orderChain({ log }, { store });
  const control = new RunControl();
  const run = errorOf(app.invoke("a", { checkpointId: "id", control }));
  await hung;
  control.interrupt({ timeoutMs: 0 });
  expect(await run).toMatchObject({ code: "STORE_FAILED" });
  expect(log).toEqual([]);
});
