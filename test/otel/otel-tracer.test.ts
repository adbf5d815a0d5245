import { diag, type Span, type Tracer } from "@opentelemetry/api";
import { Chain, Runtime, textOf, userMessage } from "kumiko";
import { otelTracer } from "kumiko/otel";
import { handlerConformance } from "kumiko/testing";
import { afterEach, describe, expect, it } from "vitest";
import { agentLoop } from "./programs.js";
import { record } from "./recorded.js";

const question = [userMessage("How warm is it in Kyoto?")];

describe.each([
  ["with an SDK", () => record({ content: true, allNodes: true, prices: {} }).handler],
  ["without one", () => otelTracer()],
])("a tracer %s", (_name, make) => {
  it.each(handlerConformance(make).map(({ name, run }) => [name, run] as const))("%s", async (_check, run) => {
    await run();
  });
});

describe("an SDK that throws", () => {
  const throwing = (): never => {
    throw new Error("the SDK is broken");
  };
  const brokenSpan = new Proxy({}, { get: (_, name) => (name === "then" ? undefined : throwing) }) as Span;
  const meter = { createHistogram: throwing } as never;

  afterEach(() => diag.disable());

  it.each([
    ["at the start of a span", { startSpan: throwing } as object as Tracer],
    ["in every method of a span", { startSpan: () => brokenSpan } as object as Tracer],
  ])("breaks nothing %s, and is told to the logger of OpenTelemetry", async (_name, tracer) => {
    const told: unknown[] = [];
    const problems: unknown[] = [];
    const keep = (...args: unknown[]) => void told.push(args);
    diag.setLogger({ error: keep, warn: () => {}, info: () => {}, debug: () => {}, verbose: () => {} });
    const runtime = new Runtime({
      callbacks: [otelTracer({ tracer, meter, content: true })],
      onHandlerError: (error) => problems.push(error),
    });
    const app = new Chain<typeof question>().append(agentLoop()).compile({ runtime });
    expect(textOf(await app.invoke(question))).toBe("21 degrees.");
    expect(problems).toEqual([]);
    expect(JSON.stringify(told, (_, value: unknown) => (value instanceof Error ? value.message : value))).toContain(
      "the SDK is broken",
    );
  });
});

describe("otelTracer", () => {
  it.each([
    [{ redact: true }, 'Unknown option "redact" of otelTracer. Options: tracer, meter, content, allNodes, prices.'],
    [{ tracer: {} }, "tracer of otelTracer must be a Tracer (got {})."],
    [{ meter: "meter" }, 'meter of otelTracer must be a Meter (got "meter").'],
    [{ content: "all" }, 'content of otelTracer must be true, false or a function (got "all").'],
    [{ allNodes: 1 }, "allNodes of otelTracer must be true or false (got 1)."],
    [{ prices: 1 }, "prices of otelTracer must be an object of prices (got 1)."],
    [null, "The options of otelTracer must be an object (got null)."],
  ])("refuses %j", (options, message) => {
    expect(() => otelTracer(options as never)).toThrow(expect.objectContaining({ code: "INVALID_OPTION", message }));
  });

  it("takes undefined for every option", () => {
    const none = { tracer: undefined, meter: undefined, content: undefined, allNodes: undefined, prices: undefined };
    expect(() => otelTracer(none)).not.toThrow();
  });
});
