import { type CompileOptions, END, Graph, memoryStore, type NodeContext, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { errorOf } from "../run/rejected-by.js";
import { interruptOf, questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { watchedStore } from "./watched-store.js";

/** Two nodes side by side that ask for numbers, and one that adds them up. */
function pair(log: string[], options: CompileOptions<never>) {
  const asking = (key: string) => async (_: string, ctx: NodeContext<undefined>) => {
    const answer = await ctx.ask("number", key, z.number());
    log.push(key);
    return answer;
  };
  return new Graph<string, string>()
    .addNode("a", asking("a"), { outputKey: "a" })
    .addNode("b", asking("b"), { outputKey: "b" })
    .addNode("join", ({ a, b }: { a: number; b: number }) => `${a}+${b}`)
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge("a", "join")
    .addEdge("b", "join")
    .addEdge("join", END)
    .compile({ name: "pair", ...options });
}

const waitingIn = async (run: Promise<unknown>) => (await interruptOf(run)).interrupts;

async function startPair(log: string[] = []) {
  const store = memoryStore();
  const questions = await waitingIn(pair(log, { store }).invoke("", { checkpointId: "id" }));
  const [a, b] = ["a", "b"].map((info) => questions.find((question) => question.info === info)?.id ?? "");
  return { questions, a: a ?? "", b: b ?? "", fresh: () => pair(log, { store }) };
}

describe("Answers to a run that waits", () => {
  it("may come one by one, in any order, in another process", async () => {
    const log: string[] = [];
    const { a, b, fresh } = await startPair(log);
    const left = await questionOf(fresh().resume("id", { [b]: 2 }));
    expect(left.id).toBe(a);
    expect(log).toEqual(["b"]);
    expect(await fresh().resume("id", { [a]: 1 })).toBe("1+2");
    expect(log).toEqual(["b", "a"]);
  });

  it("may be keyed by address", async () => {
    const { questions, fresh } = await startPair();
    const byAddress = Object.fromEntries(questions.map(({ address, info }) => [address, info === "a" ? 1 : 2]));
    expect(await fresh().resume("id", { byAddress })).toBe("1+2");
  });

  it("are not asked for again: the places that wait keep id and info, and nothing runs", async () => {
    const log: string[] = [];
    const { questions, fresh } = await startPair(log);
    for (let round = 0; round < 2; round++) {
      const again = await waitingIn(fresh().resume("id"));
      expect(again.map(({ id, info, address }) => [id, info, address])).toEqual(
        questions.map(({ id, info, address }) => [id, info, address]),
      );
    }
    expect(log).toEqual([]);
  });

  it.each([[0], [false], [""], [null]])("may be %j", async (answer) => {
    const app = orderChain({}, { store: memoryStore() });
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    expect(await app.resume("id", { [id]: answer })).toBe(`a>${String(answer)}.`);
  });

  it("that are given a second time are refused: ALREADY_ANSWERED", async () => {
    const log: string[] = [];
    const { a, b, fresh } = await startPair(log);
    await interruptOf(fresh().resume("id", { [a]: 1 }));
    const error = await errorOf(fresh().resume("id", { [a]: 1 }));
    expect(error.code).toBe("ALREADY_ANSWERED");
    expect(error.message).toContain(a);
    expect((await errorOf(fresh().resume("id", { [a]: 3, [b]: 2 }))).code).toBe("ALREADY_ANSWERED");
    expect(log).toEqual(["a"]);
    expect(await fresh().resume("id", { [b]: 2 })).toBe("1+2");
  });

  it("that are given a second time are refused also within one node that asks twice", async () => {
    const store = memoryStore();
    const app = new Graph<string, string>()
      .addNode("asks", async (_: string, ctx) => `${String(await ctx.ask("one", 1))}${String(await ctx.ask("two", 2))}`)
      .addEdge(START, "asks")
      .addEdge("asks", END)
      .compile({ store });
    const one = await questionOf(app.invoke("", { checkpointId: "id" }));
    const two = await questionOf(app.resume("id", { [one.id]: "x" }));
    expect(two.info).toBe(2);
    expect((await errorOf(app.resume("id", { [one.id]: "x" }))).code).toBe("ALREADY_ANSWERED");
    expect(await app.resume("id", { [two.id]: "y" })).toBe("xy");
  });

  it("to questions that were never asked are refused: UNKNOWN_INTERRUPT", async () => {
    const log: string[] = [];
    const { a, b, fresh } = await startPair(log);
    for (const answers of [
      { nobody: 1 },
      { [a]: 1, [b]: 2, nobody: 3 },
      { byAddress: { "runnable:pair;node:nobody": 1 } },
      { byAddress: { "runnable:other;node:a": 1 } },
      { constructor: 1 },
    ]) {
      const error = await errorOf(fresh().resume("id", answers));
      expect([error.code, log]).toEqual(["UNKNOWN_INTERRUPT", []]);
    }
    expect((await errorOf(fresh().resume("id", { nobody: 1 }))).message).toContain("nobody");
    expect(await fresh().resume("id", { [a]: 1, [b]: 2 })).toBe("1+2");
  });

  it("that do not fit their schema are refused with all that come with them: ANSWER_MISMATCH", async () => {
    const log: string[] = [];
    const { a, b, fresh, questions } = await startPair(log);
    const error = await errorOf(fresh().resume("id", { [a]: 1, [b]: "two" }));
    expect(error.code).toBe("ANSWER_MISMATCH");
    expect(error.message).toContain("runnable:pair;node:b");
    expect(log).toEqual([]);
    const again = await waitingIn(fresh().resume("id"));
    expect(again.map(({ id }) => id)).toEqual(questions.map(({ id }) => id));
    expect(await fresh().resume("id", { [a]: 1, [b]: 2 })).toBe("1+2");
  });

  it("that do not fit are refused by address as well", async () => {
    const { fresh } = await startPair();
    const error = await errorOf(fresh().resume("id", { byAddress: { "runnable:pair;node:a": "one" } }));
    expect(error.code).toBe("ANSWER_MISMATCH");
  });

  it("by an address at which two questions stand are refused: AMBIGUOUS_INTERRUPT", async () => {
    const log: string[] = [];
    const app = new Graph<string, string>()
      .addNode("asks", async (_: string, ctx) => {
        const answers = await Promise.all([ctx.ask("one", "one"), ctx.ask("two", "two")]);
        log.push("asks");
        return answers.join();
      })
      .addEdge(START, "asks")
      .addEdge("asks", END)
      .compile({ name: "g", store: memoryStore() });
    const questions = await waitingIn(app.invoke("", { checkpointId: "id" }));
    expect(questions.map(({ address }) => address)).toEqual(["runnable:g;node:asks", "runnable:g;node:asks"]);
    const error = await errorOf(app.resume("id", { byAddress: { "runnable:g;node:asks": 1 } }));
    expect(error.code).toBe("AMBIGUOUS_INTERRUPT");
    expect(error.message).toContain("runnable:g;node:asks");
    expect(log).toEqual([]);
    const [one, two] = questions.map(({ id }) => id);
    expect(await app.resume("id", { [one ?? ""]: 1, [two ?? ""]: 2 })).toBe("1,2");
  });

  it("are kept when the process is killed after it took them: they need not, and cannot, be given again", async () => {
    const rows = memoryStore();
    let dead = false;
    let puts = 0;
    const store = watchedStore(
      {
        after: ({ kind }) => {
          if (kind === "put" && dead) puts += 1;
          return puts > 0 ? new Promise(() => undefined) : undefined;
        },
      },
      rows,
    );
    const { id } = await questionOf(orderChain({}, { store }).invoke("a", { checkpointId: "id" }));
    dead = true;
    orderChain({}, { store })
      .resume("id", { [id]: "b" })
      .catch(() => undefined);
    while (puts === 0) await new Promise((resolve) => setImmediate(resolve));
    const app = orderChain({}, { store: rows });
    expect((await errorOf(app.resume("id", { [id]: "c" }, { takeover: true }))).code).toBe("ALREADY_ANSWERED");
    expect(await app.resume("id", undefined, { takeover: true })).toBe("a>b.");
  });
});
