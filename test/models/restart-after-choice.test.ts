import { type AgenticMessage, assistantMessage, concatMessages, END, Graph, START, textOf, toolCallsOr } from "kumiko";
import { retryModel } from "kumiko/models";
import { reasoning } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { breaking, failureOf, httpError, question } from "./attempts.js";

type DecideOn = "first-content" | "whole-message";

/** A model that begins again, in front of the choice between tools and the end. */
function app(first: () => AsyncIterable<AgenticMessage>, decideOn: DecideOn) {
  const model = retryModel(scriptedModel(first, assistantMessage("Good day")), { delayMs: 0, afterContent: "restart" });
  const pass = (message: AgenticMessage) => message;
  return new Graph<AgenticMessage[], AgenticMessage>()
    .addModelNode("model", model)
    .addNode("tools", pass)
    .addEdge(START, "model")
    .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END, { decideOn }))
    .addEdge("tools", END)
    .compile();
}

/** The same between handles. */
function handles() {
  const model = retryModel(scriptedModel(breaks, assistantMessage("Good day")), {
    delayMs: 0,
    afterContent: "restart",
  });
  const graph = new Graph<AgenticMessage[], AgenticMessage>().untyped();
  graph.addNode("model", model);
  graph.addNode("tools", (message: AgenticMessage) => message);
  graph.addEdge(START, "model");
  graph.addStreamBranch("model", ["tools", END], toolCallsOr("tools", END, { decideOn: "first-content" }));
  graph.addEdge("tools", END);
  return graph.compile();
}

async function read(stream: AsyncIterable<AgenticMessage>): Promise<string> {
  const chunks: AgenticMessage[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return textOf(concatMessages(chunks));
}

const breaks = () => breaking("Hel", httpError(503));

describe("a message that begins again behind toolCallsOr", () => {
  it.each(["keys", "handles"])("is an error of the stream once its first content has decided (%s)", async (style) => {
    const failure = (await failureOf(
      read((style === "keys" ? app(breaks, "first-content") : handles()).stream([...question])),
    )) as Error;
    expect(failure).toMatchObject({ code: "STREAM_RESTARTED", message: expect.stringContaining("whole-message") });
  });

  it("goes on where the whole message decides, and where it began again before its first content", async () => {
    expect(await read(app(breaks, "whole-message").stream([...question]))).toBe("Good day");
    async function* thinks() {
      yield assistantMessage([{ ...reasoning({ text: "Hm" }), streamingMeta: { index: 0 } }]);
      throw httpError(503);
    }
    expect(await read(app(thinks, "first-content").stream([...question]))).toBe("Good day");
  });

  it("goes on in a run for a value, where nothing was passed on before the end", async () => {
    expect(textOf(await app(breaks, "first-content").invoke([...question]))).toBe("Good day");
  });
});
