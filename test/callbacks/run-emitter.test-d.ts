import { type AgenticMessage, type Handler, RunEmitter, type RunInfo } from "kumiko";
import type { SideEvent } from "kumiko/callbacks";
import { expectTypeOf, it } from "vitest";

const emitter = new RunEmitter();

it("is a handler", () => {
  expectTypeOf(emitter).toExtend<Handler>();
});

it("types what listeners get by the name of the event", () => {
  emitter.on("tool:start", (info, value) => {
    expectTypeOf(info).toEqualTypeOf<RunInfo>();
    expectTypeOf(value.arguments).toEqualTypeOf<string>();
  });
  emitter.on("model:end", (_info, { message }) => expectTypeOf(message).toEqualTypeOf<AgenticMessage>());
  emitter.once("tools_node:end", (_info, results) => expectTypeOf(results).toEqualTypeOf<readonly AgenticMessage[]>());
  emitter.on("workflow:error", (_info, error) => expectTypeOf(error).toEqualTypeOf<unknown>());
  emitter.on("lambda:event", (_info, event) => expectTypeOf(event).toEqualTypeOf<SideEvent>());
});

it("types spans", () => {
  const spans = new RunEmitter({ startSpan: (info) => info.name });
  spans.on("chain:end", (_info, _value, span) => expectTypeOf(span).toEqualTypeOf<string | undefined>());
});

it("refuses events that do not exist", () => {
  // @ts-expect-error the component is called tool
  emitter.on("tools:start", () => {});
  // @ts-expect-error there is no such moment
  emitter.on("tool:finish", () => {});
});
