import {
  type AgenticMessage,
  assistantMessage,
  type ContentBlock,
  END,
  functionToolCall,
  Graph,
  START,
  StreamReader,
  toolCallsOr,
} from "kumiko";
import { assistantGenImage, assistantGenText, reasoning, serverToolCall } from "kumiko/schema";
import { describe, expect, it } from "vitest";
import { plain, thrownBy } from "./thrown-by.js";

const call = functionToolCall({ callId: "1", name: "search", arguments: "{}" });
const text = assistantGenText("Let me look.");
const thought = reasoning("hmm");
const provider = serverToolCall({ callId: "2", name: "web_search", arguments: {} });

/** A stream with one chunk per list of blocks, and how many of them were read. */
function chunks(...lists: ContentBlock[][]) {
  const count = { read: 0 };
  const source = (async function* (): AsyncGenerator<AgenticMessage> {
    for (const blocks of lists) {
      count.read += 1;
      yield assistantMessage(blocks);
    }
  })();
  return { stream: StreamReader.from(source), count };
}

describe("toolCallsOr", () => {
  it.each([
    ["a tool call", [[call]], "tools"],
    ["text alone", [[text], [text]], "end"],
    ["text before a tool call", [[text], [call]], "tools"],
    ["a tool call before text", [[call], [text]], "tools"],
    ["calls that the provider runs", [[provider]], "end"],
    ["nothing", [], "end"],
  ] satisfies [string, ContentBlock[][], string][])("decides on the whole message: %s", async (_, lists, target) => {
    const { stream, count } = chunks(...lists);
    expect(await toolCallsOr("tools", "end")(stream)).toBe(target);
    expect(count.read).toBe(lists.length);
  });

  it.each([
    ["a tool call", [[call], [text]], "tools", 1],
    ["text", [[text], [call]], "end", 1],
    ["the first of several blocks", [[text, call]], "end", 1],
    ["text that is empty, then a tool call", [[], [assistantGenText("")], [call]], "tools", 3],
    ["reasoning, then a tool call", [[thought], [call], [text]], "tools", 2],
    ["reasoning, then text", [[thought], [text], [call]], "end", 2],
    ["a call that the provider runs, then a tool call", [[provider], [call]], "tools", 2],
    ["an image", [[assistantGenImage({ url: "https://example.com/cat.png" })], [call]], "end", 1],
    ["nothing", [[]], "end", 1],
  ] satisfies [string, ContentBlock[][], string, number][])(
    "decides on the first content: %s",
    async (_, lists, target, read) => {
      const { stream, count } = chunks(...lists);
      expect(await toolCallsOr("tools", "end", { decideOn: "first-content" })(stream)).toBe(target);
      expect(count.read).toBe(read);
    },
  );

  it("works in an untyped graph", async () => {
    const graph = new Graph<AgenticMessage, unknown>().untyped();
    graph.addNode("tools", (message: AgenticMessage) => message.contentBlocks.length);
    graph.addStreamBranch(START, ["tools", END], toolCallsOr("tools", END)).addEdge("tools", END);
    expect(await graph.compile().invoke(assistantMessage([text, call]))).toBe(2);
  });

  it("lets an answer reach END as it is written, when the first content decides", async () => {
    const written: number[] = [];
    const model = async function* (_: string): AsyncGenerator<AgenticMessage> {
      for (const part of [1, 2, 3]) {
        written.push(part);
        yield assistantMessage(String(part));
      }
    };
    const graph = new Graph<string, AgenticMessage>()
      .addNode("model", model)
      .addNode("tools", (message: AgenticMessage) => message)
      .addEdge(START, "model")
      .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END, { decideOn: "first-content" }))
      .addEdge("tools", END)
      .compile();
    const stream = graph.stream("hi");
    for await (const _ of stream) break;
    expect(written.length).toBeLessThan(3);
  });

  it("refuses another moment to decide", () => {
    const error = thrownBy(() => toolCallsOr("tools", END, { decideOn: plain("never") }));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain('(got "never")');
  });
});
