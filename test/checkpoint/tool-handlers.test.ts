import { describe, expect, it } from "vitest";
import { call, calls, textsOf } from "../tools/node/calls.js";
import { asks, chainOf, streams, works } from "./asking-tools.js";
import { effects, interruptOf, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

describe("Middlewares, handlers and questions", () => {
  it("middlewares run again around a call that waits, and not around one that has finished", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [asks("asks", ran), works("fine", ran)],
      toolCallMiddlewares: [
        {
          invokable: (next) => async (toolCall, ctx) => {
            ran.did(`around ${toolCall.callId}`);
            return `<${await next(toolCall, ctx)}>`;
          },
        },
      ],
    });
    const { id } = await questionOf(app.invoke(calls(call("asks", {}, "1"), call("fine", {}, "2")), run));
    expect(textsOf(await app.resume("run", { [id]: "yes" }))).toEqual(["<1: yes>", "<2 done>"]);
    expect(ran.counts()).toEqual({ 1: 2, 2: 1, "around 1": 2, "around 2": 1 });
  });

  it("a middleware may ask, before the tool runs", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [works("fine", ran)],
      toolCallMiddlewares: [
        {
          invokable: (next) => async (toolCall, ctx) =>
            (await ctx.ask("allow", `May ${toolCall.name} run?`)) === true ? next(toolCall, ctx) : "denied",
        },
      ],
    });
    const both = await interruptOf(app.invoke(calls(call("fine", {}, "1"), call("fine", {}, "2")), run));
    expect(both.interrupts).toMatchObject([
      { info: "May fine run?", address: "runnable:app;node:tools;tool:fine:1" },
      { info: "May fine run?", address: "runnable:app;node:tools;tool:fine:2" },
    ]);
    expect(ran.counts()).toEqual({});
    const [first, second] = both.interrupts.map(({ id }) => id);
    expect(textsOf(await app.resume("run", { [String(first)]: true, [String(second)]: false }))).toEqual([
      "1 done",
      "denied",
    ]);
    expect(ran.counts()).toEqual({ 1: 1 });
  });

  it("a middleware around a streaming tool may ask", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [streams("streams", ran, ["a", "b"])],
      toolCallMiddlewares: [
        {
          streamable: (next) => async (toolCall, ctx) => {
            await ctx.ask("allow", "?");
            return next(toolCall, ctx);
          },
        },
      ],
    });
    const { id } = await questionOf(app.stream(calls(call("streams", {}, "1")), run).concat());
    expect(ran.counts()).toEqual({});
    expect(textsOf(await app.resumeStream("run", { [id]: true }).concat())).toEqual(["ab"]);
  });

  it("a middleware that swallows a question does not answer it", async () => {
    const app = chainOf({
      tools: [asks("asks", effects())],
      toolCallMiddlewares: [
        {
          invokable: (next) => async (toolCall, ctx) => {
            try {
              return await next(toolCall, ctx);
            } catch {
              return "swallowed";
            }
          },
        },
      ],
    });
    const { id } = await questionOf(app.invoke(calls(call("asks", {}, "1")), run));
    expect(textsOf(await app.resume("run", { [id]: "yes" }))).toEqual(["1: yes"]);
  });

  it("the handler of unknown tools may ask", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [works("fine", ran)],
      unknownToolsHandler: async (name, _args, ctx) => `${name}: ${await ctx.ask("q", `What is ${name}?`)}`,
    });
    const question = await questionOf(app.invoke(calls(call("nope", {}, "1"), call("fine", {}, "2")), run));
    expect(question).toMatchObject({ info: "What is nope?", address: "runnable:app;node:tools;tool:nope:1" });
    expect(textsOf(await app.resume("run", { [question.id]: "this" }))).toEqual(["nope: this", "2 done"]);
    expect(ran.counts()).toEqual({ 2: 1 });
  });

  it("the result of an unknown tool is kept", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [asks("asks", ran)],
      unknownToolsHandler: (name) => `${name} ${ran.did(name)}`,
    });
    const { id } = await questionOf(app.invoke(calls(call("nope", {}, "1"), call("asks", {}, "2")), run));
    expect(textsOf(await app.resume("run", { [id]: "a" }))).toEqual(["nope 1", "2: a"]);
    expect(ran.counts()).toMatchObject({ nope: 1 });
  });

  it("the handler of arguments may ask, before any tool runs", async () => {
    const ran = effects();
    const app = chainOf({
      tools: [works("fine", ran)],
      toolArgumentsHandler: async (name, args, ctx) => {
        if (ctx.toolCallId === "1") await ctx.ask("q", `${name}?`);
        return args;
      },
    });
    const { id } = await questionOf(app.invoke(calls(call("fine", {}, "1"), call("fine", {}, "2")), run));
    expect(ran.counts()).toEqual({});
    expect(textsOf(await app.resume("run", { [id]: "go" }))).toEqual(["1 done", "2 done"]);
    expect(ran.counts()).toEqual({ 1: 1, 2: 1 });
  });
});
