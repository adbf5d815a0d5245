import { END, Graph, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { questionOf } from "../checkpoint/interrupt-of.js";
import { allWays, compileOptions, goOn, modes, perWay, runOptions, start } from "./every-way.js";
import { forever, gate, turns } from "./gate.js";

type Trigger = "anyPredecessor" | "allPredecessor";

/** "side" leads nowhere; "main" leads to END. */
function withSide(
  triggerMode: Trigger,
  side: (text: string) => AsyncIterable<string>,
  main: (text: string, ctx: { ask(key: string, info: unknown): Promise<unknown> }) => unknown,
  options: object,
) {
  return new Graph<string, string>()
    .addNode("side", side)
    .addNode("main", main as (text: string) => string)
    .addEdge(START, "side")
    .addEdge(START, "main")
    .addEdge("main", END)
    .compile({ triggerMode, ...options });
}

/** Notes its chunks, and takes its time for each. */
const slowly = (log: string[], text = "abc") =>
  async function* () {
    for (const letter of text) {
      await turns();
      log.push(letter);
      yield letter;
    }
    log.push("end");
  };

const same = (text: string): string => text;
const whole = ["a", "b", "c", "end"];

describe("a stream that no node follows, in an anyPredecessor graph", () => {
  it("is read to its end, and the output ends after it", async () => {
    const seen = await perWay(async (mode, way) => {
      const log: string[] = [];
      const app = withSide("anyPredecessor", slowly(log), same, compileOptions(way));
      const value = await start(app, mode, { value: "x" }, runOptions(way));
      return { value, log: [...log] };
    });
    expect(seen).toEqual(allWays({ value: "x", log: whole }));
  });

  it("is read to its end before the run says that nothing follows", async () => {
    const seen = await perWay(async (mode, way) => {
      const log: string[] = [];
      const app = new Graph<string, string>()
        .addNode("side", slowly(log))
        .addNode("main", same)
        .addNode("never", same)
        .addEdge(START, "side")
        .addEdge(START, "main")
        .addBranch("main", ["never"], () => [])
        .addEdge("never", END)
        .compile(compileOptions(way));
      const error = await start(app, mode, { value: "x" }, runOptions(way)).catch((thrown: unknown) => thrown);
      return { code: Reflect.get(Object(error), "code"), log: [...log] };
    });
    expect(seen).toEqual(allWays({ code: "NO_NEXT_NODE", log: whole }));
  });

  it("fails the run when it fails", async () => {
    const seen = await perWay(async (mode, way) => {
      const breaks = async function* () {
        yield "a";
        await turns();
        throw new Error("no");
      };
      const app = withSide("anyPredecessor", breaks, same, compileOptions(way));
      const error = await start(app, mode, { value: "x" }, runOptions(way)).catch((thrown: unknown) => thrown);
      return { code: Reflect.get(Object(error), "code"), nodePath: Reflect.get(Object(error), "nodePath") };
    });
    expect(seen).toEqual(allWays({ code: "NODE_FAILED", nodePath: ["side"] }));
  });

  it.each(["resume", "resumeStream"] as const)(
    "is read to its end once when the run stops on the way (%s)",
    async (how) => {
      for (const mode of modes) {
        for (const durability of ["exit", "step"]) {
          const log: string[] = [];
          const asks = async (text: string, ctx: { ask(key: string, info: unknown): Promise<unknown> }) =>
            `${text}${await ctx.ask("q", "?")}`;
          const app = withSide("anyPredecessor", slowly(log), asks, { store: memoryStore(), durability });
          const { id } = await questionOf(start(app, mode, { value: "x" }, { checkpointId: "run" }));
          expect(await goOn(app, how, { [id]: "!" })).toBe("x!");
          expect({ mode, durability, log }).toEqual({ mode, durability, log: whole });
        }
      }
    },
  );
});

describe("a stream that no node follows, in an allPredecessor graph", () => {
  it("is read until END stops it", async () => {
    const seen = await perWay(async (mode, way) => {
      let closed = false;
      const ticked = gate();
      const endless = async function* (): AsyncGenerator<string> {
        try {
          yield "first";
          for (;;) {
            await turns();
            ticked.open();
            yield "tick";
          }
        } finally {
          closed = true;
        }
      };
      const whenTicked = (text: string) => ticked.promise.then(() => text);
      const app = withSide("allPredecessor", endless, whenTicked, compileOptions(way));
      const value = await start(app, mode, { value: "x" }, runOptions(way));
      await turns();
      return { value, closed };
    });
    expect(seen).toEqual(allWays({ value: "x", closed: true }));
  });

  it("does not hold up END when it never gives anything", async () => {
    const seen = await perWay(async (mode, way) => {
      const silent = async function* (): AsyncGenerator<string> {
        yield await forever();
      };
      const app = withSide("allPredecessor", silent, same, compileOptions(way));
      return start(app, mode, { value: "x" }, runOptions(way));
    });
    expect(seen).toEqual(allWays("x"));
  });
});
