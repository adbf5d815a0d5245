import { Chain, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { gate } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { type Effects, effects, questionOf } from "./interrupt-of.js";

const chain = (ran: Effects = effects()) =>
  new Chain<string>().append(async (text, ctx) => {
    ran.did("node");
    return `${text}${await ctx.ask("q", "?")}`;
  });

async function idsIn(store: ReturnType<typeof memoryStore>): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of store.list("")) ids.push(id);
  return ids;
}

describe("Without a store or an id", () => {
  it("values that cannot be saved are no error", async () => {
    const app = new Chain<string>()
      .append((text) => ({ text, call: () => text }))
      .append(async ({ call }, ctx) => `${call()}${await ctx.ask("q", "?")}`)
      .compile();
    expect(await questionOf(app.invoke("x"))).toMatchObject({ info: "?" });
  });
});

describe("The id of a run", () => {
  it("belongs to one run only while it runs", async () => {
    const release = gate();
    const started = gate();
    const app = new Chain<string>()
      .append(async (text) => {
        started.open();
        await release.promise;
        return text;
      })
      .compile({ store: memoryStore() });
    const running = app.invoke("x", { checkpointId: "run" });
    await started.promise;
    expect(await errorOf(app.invoke("y", { checkpointId: "run" }))).toMatchObject({ code: "CHECKPOINT_IN_USE" });
    expect(await errorOf(app.resume("run"))).toMatchObject({ code: "CHECKPOINT_IN_USE" });
    release.open();
    expect(await running).toBe("x");
  });

  it("is answered by one of two that resume at once; the node runs once for it", async () => {
    const ran = effects();
    const app = chain(ran).compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", { checkpointId: "run" }));
    const answers = { [id]: "!" };
    const outcomes = await Promise.allSettled([app.resume("run", answers), app.resume("run", answers)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const lost = outcomes.find(({ status }) => status === "rejected");
    expect(["CHECKPOINT_IN_USE", "ALREADY_ANSWERED", "UNKNOWN_CHECKPOINT"]).toContain(
      (lost as { reason: { code: string } }).reason.code,
    );
    expect(ran.counts()).toEqual({ node: 2 });
  });

  it("keeps runs apart", async () => {
    const app = chain().compile({ store: memoryStore() });
    const questions = await Promise.all(
      ["a", "b", "c"].map((checkpointId) => questionOf(app.invoke(checkpointId, { checkpointId }))),
    );
    const results = await Promise.all(
      ["a", "b", "c"].map((checkpointId, n) => app.resume(checkpointId, { [String(questions[n]?.id)]: "!" })),
    );
    expect(results).toEqual(["a!", "b!", "c!"]);
  });

  it("is left free by a run that has nothing to wait for", async () => {
    const store = memoryStore();
    const app = new Chain<string>().append((text) => `${text}!`).compile({ store });
    expect(await app.invoke("x", { checkpointId: "run" })).toBe("x!");
    expect(await app.stream("x", { checkpointId: "run" }).concat()).toBe("x!");
    expect(await idsIn(store)).toEqual([]);
  });

  it("of a run that was left before it was read is not touched", async () => {
    const store = memoryStore();
    const app = chain().compile({ store });
    await app.stream("x", { checkpointId: "run" }).cancel();
    expect(await idsIn(store)).toEqual([]);
  });

  it("saves at an interrupt only what can be saved, and says where it cannot", async () => {
    const app = new Chain<string>()
      .append((text) => ({ text, call: () => text }), { key: "a" })
      .append(async ({ text }, ctx) => `${text}${await ctx.ask("q", "?")}`, { key: "b" })
      .compile({ store: memoryStore() });
    const error = await errorOf(app.invoke("x", { checkpointId: "run" }));
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain('input of "b": call');
  });

  it("is not needed by values that only flow", async () => {
    const app = new Chain<string>()
      .append((text) => ({ text, call: () => text }))
      .append(({ call }) => call())
      .compile({ store: memoryStore() });
    expect(await app.invoke("x", { checkpointId: "run" })).toBe("x");
  });
});

describe("A resume that fails before it runs", () => {
  it("can be repeated", async () => {
    const app = chain().compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("x", { checkpointId: "run" }));
    await rejectedBy(app.resume("run", { [id]: "!" }, { timeoutMs: -1 }));
    await rejectedBy(app.resume("run", { [id]: "!" }, { signal: AbortSignal.abort() }));
    expect(await app.resume("run", { [id]: "!" })).toBe("x!");
  });
});
