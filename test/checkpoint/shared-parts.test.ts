import { END, Graph, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { questionOf } from "./interrupt-of.js";

type State = Record<string, unknown>;

/** A node that changes the state once before each of its questions; each is answered in a process of its own. */
async function stateAfter(
  changes: readonly ((state: State) => void)[],
  { durability }: { readonly durability: "exit" | "step" },
): Promise<State> {
  const store = memoryStore();
  const create = (): State => ({ round: 0 });
  const build = () =>
    new Graph<string, State>()
      .withState(create)
      .addNode("n", async (_input: string, ctx) => {
        for (const [round, change] of changes.entries()) {
          if (ctx.state.round === round) {
            change(ctx.state);
            ctx.state.round = round + 1;
          }
          await ctx.ask(`${round}`, "Go on?");
        }
        const { round: _round, ...left } = ctx.state;
        return left;
      })
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile({ store, durability });
  // entries stay smaller than the document, so that it is not written anew
  let run = build().invoke("x".repeat(9_000), { checkpointId: "id" });
  for (const _ of changes) {
    const { id } = await questionOf(run);
    run = build().resume("id", { [id]: true });
  }
  return run;
}

describe.each(["exit", "step"] as const)("a state that is resumed several times, saved at each %s", (durability) => {
  it("keeps the parts that occur twice, when earlier ones no longer do", async () => {
    const [one, two, three] = [{ name: "one" }, { name: "two" }, { name: "three" }];
    const changes = [
      (state: State) => Object.assign(state, { a: one, b: one }),
      (state: State) => Object.assign(state, { b: { name: "one, alone" }, c: two, d: two }),
      (state: State) => Object.assign(state, { e: three, f: three }),
      (state: State) => Object.assign(state, { g: state.c }),
    ];
    const state = await stateAfter(changes, { durability });
    expect(state).toEqual({ a: one, b: { name: "one, alone" }, c: two, d: two, e: three, f: three, g: two });
    expect(state.g).toBe(state.d);
  });

  it("can be changed when what no tree can hold is gone from it", async () => {
    const days = new Set(["Monday"]);
    const changes = [
      (state: State) => Object.assign(state, { days, again: days }),
      (state: State) => Object.assign(state, { again: 1 }),
      (state: State) => Object.assign(state, { again: 2 }),
    ];
    expect(await stateAfter(changes, { durability })).toEqual({ days, again: 2 });
  });
});
