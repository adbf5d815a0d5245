import { Chain, findCause, isInterrupt, KumikoError, memoryStore } from "kumiko";
import { describe, expect, it } from "vitest";
import { rejectedBy } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";

interface Seen {
  seen: string[];
}
const seenState = (first: string) => () => ({ seen: [first] }) as Seen;

/** Three graphs in each other, each with a state; the innermost asks, and gives what all of them have seen. */
function nested() {
  const inner = new Chain<string>()
    .withState(seenState("inner"))
    .append(async (text, ctx) => `${text}${String(await ctx.ask("go", {}))}[${ctx.state.seen.join()}]`, { key: "ask" });
  const middle = new Chain<string>()
    .withState(seenState("middle"))
    .append(inner, { key: "deep" })
    .append((text, ctx) => `${text}[${ctx.state.seen.join()}]`, { key: "after" });
  return new Chain<string>()
    .withState(seenState("top"))
    .append(middle, { key: "mid" })
    .append((text, ctx) => `${text}[${ctx.state.seen.join()}]`, { key: "after" })
    .compile({ store: memoryStore() });
}

async function start() {
  const app = nested();
  const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
  return { app, id };
}

describe("modifyState", () => {
  it("is asked for each graph on resume, with its state and its path", async () => {
    const { app, id } = await start();
    const asked: Record<string, unknown> = {};
    const modifyState = (state: unknown, path: string) => {
      asked[path] = structuredClone(state);
      return undefined;
    };
    expect(await app.resume("id", { [id]: "b" }, { modifyState })).toBe("ab[inner][middle][top]");
    expect(asked).toEqual({ "": { seen: ["top"] }, mid: { seen: ["middle"] }, "mid/deep": { seen: ["inner"] } });
  });

  it("gives a new state to the graphs that it wants", async () => {
    const { app, id } = await start();
    const modifyState = (state: unknown, path: string) =>
      path === "mid" ? undefined : { seen: [...(state as Seen).seen, `new ${path}`] };
    expect(await app.resume("id", { [id]: "b" }, { modifyState })).toBe("ab[inner,new mid/deep][middle][top,new ]");
  });

  it("may change a state in place", async () => {
    const { app, id } = await start();
    const modifyState = (state: unknown, path: string) => {
      if (path === "") (state as Seen).seen.push("changed");
      return undefined;
    };
    expect(await app.resume("id", { [id]: "b" }, { modifyState })).toBe("ab[inner][middle][top,changed]");
  });

  it("works in a stream as well", async () => {
    const { app, id } = await start();
    const modifyState = (_state: unknown, path: string) => ({ seen: [path] });
    const stream = app.resumeStream("id", { [id]: "b" }, { modifyState });
    expect(await stream.concat()).toBe("ab[mid/deep][mid][]");
  });

  it("that throws stops the resume before anything runs, and nothing is lost", async () => {
    const { app, id } = await start();
    class NoSuchState extends Error {}
    const modifyState = () => {
      throw new NoSuchState("no such state");
    };
    const error = await rejectedBy(app.resume("id", { [id]: "b" }, { modifyState }));
    expect(findCause(error, NoSuchState)?.message).toBe("no such state");
    // whether the answer was taken before is not said: a resume without it tells
    const again = await app.resume("id").catch((error) => (isInterrupt(error) ? error.interrupts : error));
    const done = Array.isArray(again) ? await app.resume("id", { [id]: "b" }) : again;
    expect(done).toBe("ab[inner][middle][top]");
  });

  it("may throw an error of the library, which keeps its code", async () => {
    const { app, id } = await start();
    const modifyState = (): never => {
      throw new KumikoError("VALIDATION", "not a state");
    };
    const error = await rejectedBy(app.resume("id", { [id]: "b" }, { modifyState }));
    expect(error).toMatchObject({ code: "VALIDATION", message: "not a state" });
  });

  it("must not give a promise", async () => {
    const { app, id } = await start();
    const modifyState = async (state: unknown) => state;
    const error = await rejectedBy(app.resume("id", { [id]: "b" }, { modifyState }));
    expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining("gave a promise") });
    const again = await app.resume("id").catch((error) => (isInterrupt(error) ? error.interrupts : error));
    expect(Array.isArray(again) ? await app.resume("id", { [id]: "b" }) : again).toBe("ab[inner][middle][top]");
  });

  it("changes what the next save holds", async () => {
    const app = new Chain<string>()
      .withState(seenState("made"))
      .append(async (text, ctx) => `${text}${String(await ctx.ask("one", 1))}`, { key: "one" })
      .append(async (text, ctx) => `${text}${String(await ctx.ask("two", 2))}[${ctx.state.seen.join()}]`, {
        key: "two",
      })
      .compile({ store: memoryStore() });
    const one = await questionOf(app.invoke("a", { checkpointId: "id" }));
    const modifyState = () => ({ seen: ["modified"] });
    const two = await questionOf(app.resume("id", { [one.id]: "1" }, { modifyState }));
    expect(await app.resume("id", { [two.id]: "2" })).toBe("a12[modified]");
  });
});
