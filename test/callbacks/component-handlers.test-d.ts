import { type AgenticMessage, componentHandlers, type Handler, type RunInfo, type StreamReader } from "kumiko";
import type { SideEvent } from "kumiko/callbacks";
import type { ToolResultContent } from "kumiko/schema";
import { expectTypeOf, it } from "vitest";

it("types values by component", () => {
  const handler = componentHandlers({
    tool: {
      onStart: (info, value) => {
        expectTypeOf(info).toEqualTypeOf<RunInfo>();
        expectTypeOf(value.arguments).toEqualTypeOf<string>();
      },
      onEnd: (_info, { result }) => expectTypeOf(result).toEqualTypeOf<string | readonly ToolResultContent[]>(),
      onEndWithStreamOutput: (_info, stream) =>
        expectTypeOf(stream).toExtend<StreamReader<{ readonly result: string }>>(),
      onEvent: (_info, event) => expectTypeOf(event).toEqualTypeOf<SideEvent>(),
    },
    model: {
      onStart: (_info, { messages }) => expectTypeOf(messages).toEqualTypeOf<readonly AgenticMessage[]>(),
      onEnd: (_info, { message }) => expectTypeOf(message).toEqualTypeOf<AgenticMessage>(),
      onError: (_info, error) => expectTypeOf(error).toEqualTypeOf<unknown>(),
    },
    tools_node: {
      onStart: (_info, message) => expectTypeOf(message).toEqualTypeOf<AgenticMessage>(),
      onEnd: (_info, results) => expectTypeOf(results).toEqualTypeOf<readonly AgenticMessage[]>(),
    },
    retriever: { onStart: (_info, query) => expectTypeOf(query).toEqualTypeOf<string>() },
    lambda: { onStart: (_info, value) => expectTypeOf(value).toEqualTypeOf<unknown>() },
  });
  expectTypeOf(handler).toEqualTypeOf<Handler>();
});

it("infers the span of each component from its onStart", () => {
  componentHandlers({
    tool: {
      onStart: (info, _value) => ({ label: info.name }),
      onEnd: (_info, _value, span) => expectTypeOf(span).toEqualTypeOf<{ label: string }>(),
    },
    model: {
      onStart: (_info) => 5,
      onError: (_info, _error, span) => expectTypeOf(span).toEqualTypeOf<number>(),
    },
    graph: { onEnd: (_info, _value, span) => expectTypeOf(span).toEqualTypeOf<unknown>() },
  });
});

it("takes the spans as type arguments, too", () => {
  componentHandlers<Date, number, string>({
    tool: { onStart: () => new Date(), onEnd: (_info, _value, span) => span.getTime() },
    // @ts-expect-error the span of a model is declared as a number
    model: { onStart: () => "text" },
    graph: { onStart: () => "text", onEnd: (_info, _value, span) => span.length },
  });
});

it("refuses kinds and values that do not exist", () => {
  // @ts-expect-error the kind is called tool
  componentHandlers({ tools: { onStart: () => {} } });
  // @ts-expect-error a tool starts with arguments
  componentHandlers({ tool: { onStart: (_info, { input }) => input } });
});
