import { createTool } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, kindsOf, textsOf, toolError } from "../tools/node/calls.js";
import { asks, chainOf, works } from "./asking-tools.js";
import { type Effects, effects, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

describe("onToolError and questions", () => {
  const fails = (id: string, ran: Effects, times = Number.POSITIVE_INFINITY) =>
    works(id, ran, (ctx) => {
      if (ran.did(`${ctx.toolCallId} tried`) <= times) throw new Error("broke");
      return `${ctx.toolCallId} mended`;
    });
  const message = calls(call("fails", {}, "1"), call("asks", {}, "2"), call("fine", {}, "3"));

  it("an error wins with throw; the run goes on after it, and the question is still the same", async () => {
    const ran = effects();
    const app = chainOf({ tools: [fails("fails", ran, 1), asks("asks", ran), works("fine", ran)] });
    const error = await toolError(app.invoke(message, run));
    expect(error).toMatchObject({ kind: "execution", toolName: "fails", nodePath: ["tools"] });
    expect(error.results).toHaveLength(3);
    expect(textsOf(error.results)[2]).toBe("3 done");
    const question = await questionOf(app.resume("run"));
    expect(question.info).toBe("2?");
    expect(textsOf(await app.resume("run", { [question.id]: "a" }))).toEqual(["1 mended", "2: a", "3 done"]);
    expect(ran.counts()).toMatchObject({ 1: 2, 2: 2, 3: 1 });
  });

  it("an error that became a result is kept with it", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [fails("fails", ran), asks("asks", ran), works("fine", ran)],
      onToolError: "result",
    });
    const { id } = await questionOf(app.invoke(message, run));
    const results = await app.resume("run", { [id]: "a" });
    expect(kindsOf(results)).toEqual(["execution", undefined, undefined]);
    expect(blocksOf(results)[0]).toMatchObject({ isError: true });
    expect(textsOf(results)[0]).toContain("broke");
    expect(ran.counts()).toMatchObject({ 1: 1, 2: 2, 3: 1 });
  });

  it("a function is not asked about questions, and once about an error", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [fails("fails", ran), asks("asks", ran), works("fine", ran)],
      onToolError: (error) => `${error.toolName} ${ran.did(`told of ${error.toolName}`)}`,
    });
    const { id } = await questionOf(app.invoke(message, run));
    expect(textsOf(await app.resume("run", { [id]: "a" }))).toEqual(["fails 1", "2: a", "3 done"]);
    expect(ran.counts()).toMatchObject({ "told of fails": 1, 1: 1 });
    expect(ran.counts()).not.toHaveProperty("told of asks");
  });

  it("arguments that cannot be read, and calls that nobody knows, are kept as results", async () => {
    const ran = effects();
    const app = chainOf({ tools: [asks("asks", ran)], onToolError: "result" });
    const broken = calls(call("asks", "{", "1"), call("nope", {}, "2"), call("asks", {}, "3"));
    const { id } = await questionOf(app.invoke(broken, run));
    expect(kindsOf(await app.resume("run", { [id]: "a" }))).toEqual(["parse", "unknown_tool", undefined]);
    expect(ran.counts()).toEqual({ 3: 2 });
  });

  it("a tool that ran and whose output does not fit has finished: its output is checked again", async () => {
    const ran = effects();
    const wrong = createTool({
      id: "wrong",
      description: "Gives the wrong thing.",
      outputSchema: z.object({ n: z.number() }),
      execute: () => {
        ran.did("wrong");
        return { n: "one" } as never;
      },
    });
    const app = chainOf({ tools: [wrong, asks("asks", ran)] });
    const both = calls(call("wrong"), call("asks", {}, "2"));
    expect(await toolError(app.invoke(both, run))).toMatchObject({ kind: "output_validation" });
    expect(await toolError(app.resume("run"))).toMatchObject({ kind: "output_validation" });
    expect(ran.counts()).toEqual({ wrong: 1, 2: 1 });
  });

  it("a call that ran out of time is kept as a result", async () => {
    const ran = effects();
    const slow = works("slow", ran, () => new Promise(() => undefined));
    const app = chainOf({ tools: [slow, asks("asks", ran)], onToolError: "result", timeoutMs: 2 });
    const { id } = await questionOf(app.invoke(calls(call("slow", {}, "1"), call("asks", {}, "2")), run));
    const results = await app.resume("run", { [id]: "a" });
    expect(kindsOf(results)).toEqual(["timeout", undefined]);
    expect(ran.counts()).toEqual({ 1: 1, 2: 2 });
  });

  it("a call with a time limit that waits for an answer does not run out of time", async () => {
    const app = chainOf({ tools: [asks("asks", effects())], timeoutMs: 2 });
    const { id } = await questionOf(app.invoke(calls(call("asks", {}, "1")), run));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(textsOf(await app.resume("run", { [id]: "a" }))).toEqual(["1: a"]);
  });

  it("a failure in sequence stops the calls behind it; they run after the resume, and finished ones do not", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [fails("fails", ran, 1), asks("asks", ran), works("fine", ran)],
      executeSequentially: true,
    });
    const order = calls(call("fine", {}, "0"), call("fails", {}, "1"), call("asks", {}, "2"), call("fine", {}, "3"));
    expect(await toolError(app.invoke(order, run))).toMatchObject({ callId: "1" });
    expect(ran.counts()).toMatchObject({ 0: 1, 1: 1 });
    const { id } = await questionOf(app.resume("run"));
    expect(textsOf(await app.resume("run", { [id]: "a" }))).toEqual(["0 done", "1 mended", "2: a", "3 done"]);
    expect(ran.counts()).toMatchObject({ 0: 1, 1: 2, 2: 2, 3: 1 });
  });
});
