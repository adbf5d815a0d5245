import { Chain, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { gate, turns } from "../run/gate.js";
import { interruptOf, questionOf } from "./interrupt-of.js";
import { watchedStore } from "./watched-store.js";

interface Basket {
  items: string[];
}

/** Keeps its input and a state while it waits; gives both. */
const basket = (store: ReturnType<typeof watchedStore>, touch: (state: Basket) => void = () => undefined) =>
  new Chain<Basket>()
    .withState((): Basket => ({ items: ["state"] }))
    .append(
      async (input, ctx) => {
        touch(ctx.state);
        await ctx.ask("go", { input });
        return { input: input.items.join(), state: ctx.state.items.join() };
      },
      { key: "waits" },
    )
    .compile({ store });

describe("A stored checkpoint", () => {
  it("does not see what happens to an input after the save", async () => {
    const app = basket(watchedStore());
    const input = { items: ["a"] };
    const { id } = await questionOf(app.invoke(input, { checkpointId: "id" }));
    input.items.push("late");
    expect(await app.resume("id", { [id]: 1 })).toEqual({ input: "a", state: "state" });
  });

  it("does not see what happens to a state after the save", async () => {
    let kept: Basket | undefined;
    const app = basket(watchedStore(), (state) => {
      kept ??= state;
    });
    const { id } = await questionOf(app.invoke({ items: ["a"] }, { checkpointId: "id" }));
    kept?.items.push("late");
    expect(await app.resume("id", { [id]: 1 })).toEqual({ input: "a", state: "state" });
  });

  it("does not see what its reader does to the questions, and neither does a second reader", async () => {
    const app = basket(watchedStore());
    const first = await interruptOf(app.invoke({ items: ["a"] }, { checkpointId: "id" }));
    for (const { info } of first.interrupts) (info as { input: Basket }).input.items.push("late");
    const again = await questionOf(app.resume("id"));
    expect(again.info).toEqual({ input: { items: ["a"] } });
    expect(await app.resume("id", { [again.id]: 1 })).toEqual({ input: "a", state: "state" });
  });

  it("does not see what its answerer does to an answer that was taken", async () => {
    const app = new Chain<string>()
      .append(async (_text, ctx) => {
        const one = await ctx.ask<Basket>("one", 1);
        await ctx.ask("two", 2);
        return one.items.join();
      })
      .compile({ store: memoryStore() });
    const one = await questionOf(app.invoke("", { checkpointId: "id" }));
    const answer = { items: ["a"] };
    const two = await questionOf(app.resume("id", { [one.id]: answer }));
    answer.items.push("late");
    expect(await app.resume("id", { [two.id]: 1 })).toBe("a");
  });

  it("gives every run that starts from it things of its own", async () => {
    const store = watchedStore();
    const { id } = await questionOf(basket(store).invoke({ items: ["a"] }, { checkpointId: "id" }));
    const copies = [await store.copy(), await store.copy()];
    const results = await Promise.all(
      copies.map((copy, n) => basket(copy, (state) => state.items.push(`run ${n}`)).resume("id", { [id]: 1 })),
    );
    expect(results).toEqual([
      { input: "a", state: "state,run 0" },
      { input: "a", state: "state,run 1" },
    ]);
  });

  it("of one id does not mix with that of another", async () => {
    const app = basket(watchedStore());
    const ids = ["one", "two", "three"];
    const questions = await Promise.all(
      ids.map((checkpointId) => questionOf(app.invoke({ items: [checkpointId] }, { checkpointId }))),
    );
    expect(new Set(questions.map(({ id }) => id)).size).toBe(3);
    const results = await Promise.all(ids.map((id, n) => app.resume(id, { [questions[n]?.id ?? ""]: 1 })));
    expect(results.map(({ input }) => input)).toEqual(ids);
  });

  it('is not changed by what runs on while it is written (durability "step")', async () => {
    const [slow, reached] = [gate(), gate()];
    let state: Basket | undefined;
    const store = watchedStore({ before: ({ kind }) => (kind === "put" && state ? hold() : undefined) });
    const hold = () => {
      reached.open();
      return slow.promise;
    };
    const app = new Chain<string>()
      .withState((): Basket => ({ items: [] }))
      .append((text, ctx) => {
        state = ctx.state;
        state.items.push("saved");
        return text;
      })
      .append(() => new Promise<string>(() => undefined))
      .compile({ store, durability: "step" });
    app.invoke("a", { checkpointId: "id" }).catch(() => undefined);
    await reached.promise;
    state?.items.push("after the save");
    slow.open();
    await turns();
    const other = new Chain<string>()
      .withState((): Basket => ({ items: [] }))
      .append((text) => text)
      .append((_text, ctx) => ctx.state.items.join())
      .compile({ store: await store.copy(), durability: "step" });
    expect(await other.resume("id", undefined, { takeover: true })).toBe("saved");
  });
});
