// Five agents and five workflows in the way of Mastra's documentation, in the original package and in kumiko/mastra.
// Run by ../mastra.test.ts in a Node.js that Mastra accepts. What each makes of them is compared.
import * as realCore from "@mastra/core";
import * as realAgent from "@mastra/core/agent";
import * as realMastra from "@mastra/core/mastra";
import * as realContext from "@mastra/core/request-context";
import { InMemoryStore } from "@mastra/core/storage";
import * as realTools from "@mastra/core/tools";
import * as realWorkflows from "@mastra/core/workflows";
import * as ours from "kumiko/mastra";
import { describe, expect, it } from "vitest";
import { agents, type Package, workflows } from "./documented.js";

type Any = ReturnType<typeof JSON.parse>;
const theirs: Any = { ...realCore, ...realAgent, ...realMastra, ...realContext, ...realTools, ...realWorkflows };

/** A model in the form of the AI SDK, for both. */
function model(answers: readonly (string | Any[])[]): Any {
  let asked = 0;
  const usage = { inputTokens: { total: 10 }, outputTokens: { total: 5 } };
  const contentOf = (): Any[] => {
    const answer = answers[asked++] ?? "";
    return typeof answer === "string" ? [{ type: "text", text: answer }] : answer;
  };
  const endOf = (content: Any[]) => {
    const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
    return { finishReason: { unified, raw: unified }, usage };
  };
  const pieces = (text: string, id: string): Any[] => {
    const deltas = text.match(/.{1,8}/gs) ?? [];
    return [
      { type: "text-start", id },
      ...deltas.map((delta) => ({ type: "text-delta", id, delta })),
      { type: "text-end", id },
    ];
  };
  return {
    ...{ specificationVersion: "v3", provider: "demo", modelId: "m", supportedUrls: {} },
    async doGenerate() {
      const content = contentOf();
      return { content, ...endOf(content), warnings: [] };
    },
    async doStream() {
      const content = contentOf();
      const parts = content.flatMap((part, index) => (part.type === "text" ? pieces(part.text, `t${index}`) : [part]));
      const all = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", ...endOf(content) }];
      return {
        stream: new ReadableStream({ start: (to) => [...all.map((part) => to.enqueue(part)), to.close()] as never }),
      };
    },
  };
}

const original: Package = {
  ...{ api: theirs, model },
  mastra: (options) => new theirs.Mastra({ ...options, logger: false, storage: new InMemoryStore() }),
};
const here: Package = { ...{ api: ours, model }, mastra: (options) => new ours.Mastra({ ...options, logger: false }) };

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each([
  ["the agent with", agents],
  ["the workflow of", workflows],
] as const)("%s", (_kind, programs) => {
  it.each(Object.entries(programs))("%s is the same", async (_name, program) => {
    const expected = plain(await program(original));
    expect(plain(await program(here))).toEqual(expected);
  });
});
