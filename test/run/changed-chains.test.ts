import { Chain, type CompiledGraph, memoryStore, type NodeContext, passthrough } from "kumiko";
import { describe, expect, it } from "vitest";
import { questionOf } from "../checkpoint/interrupt-of.js";
import { plain } from "../compose/thrown-by.js";
import { errorOf } from "./rejected-by.js";

function trim(text: string): string {
  return text.trim();
}
function shout(text: string): string {
  return text.toUpperCase();
}
async function confirm(text: string, ctx: NodeContext): Promise<string> {
  return `${text}${await ctx.ask("q", "?")}`;
}

type Step = readonly [node: unknown, options?: object];

function chain(...steps: readonly Step[]) {
  const store = memoryStore();
  const compile = (given: readonly Step[]): CompiledGraph<string, string> => {
    let built = new Chain<string>() as Chain<string, string>;
    for (const [node, options = {}] of given) built = built.append(plain(node), plain(options)) as never;
    return built.compile({ name: "app", store });
  };
  return { app: compile(steps), changedTo: (...other: readonly Step[]) => compile(other) };
}

/** Refused, with the advice to give keys; the chain that it belongs to can still go on. */
async function expectRefused(before: readonly Step[], after: readonly Step[], result: string) {
  const { app, changedTo } = chain(...before);
  const { id } = await questionOf(app.invoke("x", { checkpointId: "run" }));
  const error = await errorOf(changedTo(...after).resume("run", { [id]: "!" }));
  expect(error.code).toBe("GRAPH_CHANGED");
  expect(error.message).toMatch(/\bkey\b/);
  expect(await app.resume("run", { [id]: "!" })).toBe(result);
}

describe("a chain that waits in a step without a key", () => {
  it("is GRAPH_CHANGED when a step of another kind was put before it", async () => {
    await expectRefused([[trim], [confirm]], [[passthrough()], [trim], [confirm]], "x!");
  });

  it("is GRAPH_CHANGED when a function was put before it", async () => {
    await expectRefused([[trim], [confirm]], [[shout], [trim], [confirm]], "x!");
  });

  it("is GRAPH_CHANGED when a step before it is gone", async () => {
    await expectRefused([[trim], [shout], [confirm]], [[trim], [confirm], [shout]], "X!");
  });

  it("is GRAPH_CHANGED when a step before it has become one of another kind", async () => {
    await expectRefused([[trim], [confirm]], [[new Chain<string>().append(trim)], [confirm]], "x!");
  });

  it("goes on when steps were added behind it", async () => {
    const { app, changedTo } = chain([trim], [confirm]);
    const { id } = await questionOf(app.invoke("x", { checkpointId: "run" }));
    expect(await changedTo([trim], [confirm], [shout]).resume("run", { [id]: "!" })).toBe("X!");
  });

  it("goes on when the step that waits has a key, whatever was put before it", async () => {
    const { app, changedTo } = chain([trim], [confirm, { key: "confirm" }]);
    const { id } = await questionOf(app.invoke("x", { checkpointId: "run" }));
    const changed = changedTo([shout], [trim], [confirm, { key: "confirm" }]);
    expect(await changed.resume("run", { [id]: "!" })).toBe("x!");
  });
});
