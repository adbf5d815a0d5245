import { afterEach, describe, expect, it } from "vitest";
import type { NodeContext } from "../../src/components/context.js";
import { Chain } from "../../src/compose/chain.js";
import { lambda } from "../../src/compose/lambda.js";
import { memoryStore } from "../../src/index.js";
import { StreamReader } from "../../src/schema/stream/reader.js";
import { errorOf } from "../run/rejected-by.js";
import { installSwitch } from "./switch.js";

const turnTo = installSwitch();
afterEach(() => turnTo(undefined));

const inMode = lambda({
  invoke: (_text: string) => "invoke",
  stream: (_text: string) => StreamReader.from(["stream"]),
  collect: (_text: StreamReader<string>) => "collect",
  transform: (_text: StreamReader<string>) => StreamReader.from(["transform"]),
});

describe("A call of invoke", () => {
  it.each(["invoke", "collect", "stream", "transform"] as const)("is answered by %s", async (mode) => {
    turnTo({ way: "plain", mode });
    expect(await inMode.invoke("")).toBe(mode);
  });

  it("is not, for a child run", async () => {
    turnTo({ way: "plain", mode: "collect" });
    const outer = new Chain<string>().append((text, ctx) => inMode.invoke(text, { parent: ctx }));
    expect(await outer.compile().invoke("")).toBe("invoke");
  });

  it("is answered by itself once the switch is off", async () => {
    turnTo({ way: "plain", mode: "collect" });
    turnTo(undefined);
    expect(await inMode.invoke("")).toBe("invoke");
  });
});

describe("A call of stream, collect or transform", () => {
  it("gives the same chunks in another mode", async () => {
    turnTo({ way: "plain", mode: "transform" });
    const letters = new Chain<string>().append(async function* (text) {
      yield* text;
    });
    const chunks: string[] = [];
    for await (const chunk of letters.compile().stream("abc")) chunks.push(chunk);
    expect(chunks).toEqual(["a", "b", "c"]);
    expect(await inMode.collect(StreamReader.from([""]))).toBe("transform");
  });
});

/** Says in its error which option it would take to resume it. */
const asking = new Chain<unknown>().append((_given, ctx: NodeContext) => ctx.interrupt("?"));

describe("A run", () => {
  it("is on the fast lane, and with its graphs in graphs not when it is to be scheduled", async () => {
    const inner = new Chain<string>().append(() => new Error().stack ?? "").compile();
    const outer = new Chain<string>().append(inner).compile();
    expect(await outer.invoke("")).toContain("runFast");
    turnTo({ way: "scheduled", mode: "invoke" });
    expect(await outer.invoke("")).not.toContain("runFast");
  });

  it.each(["saved-exit", "saved-step"] as const)("is saved: %s", async (way) => {
    const graph = asking.compile();
    expect((await errorOf(graph.invoke(""))).message).toContain("checkpointId");
    turnTo({ way, mode: "invoke" });
    expect((await errorOf(graph.invoke(""))).message).not.toContain("checkpointId");
  });

  it("is saved with values that cannot be saved", async () => {
    turnTo({ way: "saved-step", mode: "invoke" });
    const given = { call: () => 1 };
    expect(
      await new Chain<object>()
        .append((value) => value)
        .compile()
        .invoke(given),
    ).toBe(given);
  });

  it("that has an id is saved where its graph says, and refused what it cannot save there", async () => {
    turnTo({ way: "saved-exit", mode: "invoke" });
    const store = memoryStore();
    const run = asking.compile({ store }).invoke({ call: () => 1 }, { checkpointId: "own" });
    expect(await errorOf(run)).toMatchObject({ code: "NOT_SERIALIZABLE" });
  });

  it("that has no id leaves nothing in the store of its graph", async () => {
    turnTo({ way: "saved-step", mode: "invoke" });
    const store = memoryStore();
    await errorOf(asking.compile({ store }).invoke(""));
    const ids: string[] = [];
    for await (const id of store.list("")) ids.push(id);
    expect(ids).toEqual([]);
  });

  it("keeps the handlers that it was given", async () => {
    turnTo({ way: "watched", mode: "invoke" });
    const started: string[] = [];
    const callbacks = [{ onStart: ({ component }: { component: string }) => void started.push(component) }];
    await new Chain<string>()
      .append((text) => text)
      .compile()
      .invoke("", { callbacks });
    expect(started).toEqual(["chain", "lambda"]);
  });
});
