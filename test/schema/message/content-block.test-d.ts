import {
  type AgenticMessage,
  assistantMessage,
  type ContentBlock,
  concatMessages,
  type FunctionToolCall,
  type FunctionToolResult,
  functionToolCall,
  functionToolResult,
  toolCallsOf,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { type BlockOf, type ContentBlockType, concatMessageLists, type Reasoning, reasoning } from "kumiko/schema";
import { expectTypeOf, it } from "vitest";

declare const block: ContentBlock;
declare const message: AgenticMessage;

it("a block is known by its type", () => {
  if (block.type === "function_tool_call") expectTypeOf(block).toEqualTypeOf<FunctionToolCall>();
  expectTypeOf<BlockOf<"reasoning">>().toEqualTypeOf<Reasoning>();
  // @ts-expect-error only some kinds have a text
  block.text;
});

it("a switch over all types leaves nothing", () => {
  const handled: { readonly [Type in ContentBlockType]: true } = {
    reasoning: true,
    user_input_text: true,
    user_input_image: true,
    user_input_audio: true,
    user_input_video: true,
    user_input_file: true,
    assistant_gen_text: true,
    assistant_gen_image: true,
    assistant_gen_audio: true,
    assistant_gen_video: true,
    function_tool_call: true,
    function_tool_result: true,
    tool_search_result: true,
    server_tool_call: true,
    server_tool_result: true,
    mcp_tool_call: true,
    mcp_tool_result: true,
    mcp_list_tools_result: true,
    mcp_tool_approval_request: true,
    mcp_tool_approval_response: true,
    extension: true,
  };
  expectTypeOf<keyof typeof handled>().toEqualTypeOf<ContentBlockType>();
});

it("narrows a list of blocks by their type", () => {
  expectTypeOf(message.contentBlocks.filter((block) => block.type === "reasoning")).toEqualTypeOf<Reasoning[]>();
  expectTypeOf(message.contentBlocks.find((block) => block.type === "function_tool_call")).toEqualTypeOf<
    FunctionToolCall | undefined
  >();
});

it("constructors ask for the fields of their kind", () => {
  expectTypeOf(reasoning("hm")).toEqualTypeOf<Reasoning>();
  expectTypeOf(functionToolResult({ callId: "1", name: "f", content: [] })).toEqualTypeOf<FunctionToolResult>();
  functionToolResult({ callId: "1", name: "f", result: "", isError: undefined, errorKind: "denied" });
  // @ts-expect-error arguments are missing
  functionToolCall({ callId: "1", name: "f" });
  // @ts-expect-error neither result nor content
  functionToolResult({ callId: "1", name: "f" });
  // @ts-expect-error no such kind of error
  functionToolResult({ callId: "1", name: "f", result: "", errorKind: "bad" });
});

it("messages are made of texts and blocks", () => {
  expectTypeOf(userMessage("Hi")).toEqualTypeOf<AgenticMessage>();
  expectTypeOf(assistantMessage([reasoning("hm")], { responseMeta: {} })).toEqualTypeOf<AgenticMessage>();
  // @ts-expect-error only a model reports about a response
  userMessage("Hi", { responseMeta: {} });
  // @ts-expect-error messages are not changed in place
  message.contentBlocks.push(reasoning("hm"));
});

it("readers and concatenation keep their types", () => {
  expectTypeOf(toolCallsOf(message)).toEqualTypeOf<FunctionToolCall[]>();
  expectTypeOf([message].flatMap(toolResultsOf)).toEqualTypeOf<FunctionToolResult[]>();
  expectTypeOf(concatMessages([message])).toEqualTypeOf<AgenticMessage>();
  expectTypeOf(concatMessageLists([[message, undefined, null]])).toEqualTypeOf<AgenticMessage[]>();
});
