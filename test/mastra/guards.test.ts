import { memoryStore, textOf } from "kumiko";
import { guard, piiGuard } from "kumiko/agents";
import { Agent, createTool, Mastra, type MastraChunk } from "kumiko/mastra";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call } from "../agents/agents.js";

const long = "All is well. ".repeat(30);
const strict = guard({
  name: "strict",
  reply: "Sorry.",
  input: (message) => (textOf(message).includes("never") ? { block: "Why not." } : undefined),
  output: (text) => (text.includes("secret") ? { block: "Why not." } : undefined),
  toolCall: ({ name }) => (name === "burn" ? { block: "Why not." } : undefined),
});
const toolNamed = (id: string, requireApproval = false) =>
  createTool({ id, description: `Is ${id}.`, inputSchema: z.object({}), requireApproval, execute: async () => "done" });
const burn = toolNamed("burn");
const book = toolNamed("book", true);

function guarded(...script: ScriptEntry[]) {
  const agent = new Agent({
    id: "a",
    name: "a",
    instructions: "",
    model: scriptedModel(...script),
    tools: { burn, book },
    middleware: [guard(piiGuard()), strict],
  });
  new Mastra({ agents: { agent }, storage: memoryStore(), logger: false });
  return agent;
}

async function read<T>(stream: ReadableStream<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream as ReadableStream<T> & AsyncIterable<T>) chunks.push(chunk);
  return chunks;
}
const textIn = (chunks: readonly MastraChunk[]): string =>
  chunks.flatMap(({ type, payload }) => (type === "text-delta" ? [payload.text] : [])).join("");

describe("guards in the streams of an agent", () => {
  const cases = {
    "what a user says": { prompt: "never", script: [] as ScriptEntry[], text: "Sorry.", on: "input" },
    "an answer at once": { prompt: "go", script: ["It is a secret."], text: "Sorry.", on: "output" },
    "an answer late": { prompt: "go", script: [`${long}It is a secret.`], text: "Sorry.", on: "output" },
    "an answer after a call": {
      prompt: "go",
      script: [[call("1", "burn")], "It is a secret."],
      text: "Sorry.",
      on: "output",
    },
  };

  it.each(Object.entries(cases))("block %s, whole and in chunks", async (_name, { prompt, script, text }) => {
    const tripwire = { reason: "Why not.", processorId: "strict" };
    const whole = await guarded(...script).generate(prompt);
    expect(whole).toMatchObject({ text, tripwire, finishReason: "content-filter" });
    const stream = await guarded(...script).stream(prompt);
    const chunks = await read(stream.fullStream);
    expect(JSON.stringify(chunks)).not.toMatch(/Why not|secret/);
    expect(textIn(chunks).endsWith(text)).toBe(true);
    // whoever has read all of it knows how it has ended
    expect([stream.tripwire, stream.status, stream.error]).toEqual([tripwire, "success", undefined]);
    expect([await stream.text, await stream.finishReason]).toEqual([text, "content-filter"]);
    expect(await (await guarded(...script).stream(prompt)).getFullOutput()).toMatchObject({ text, tripwire });
  });

  it("replace what they find, in chunks of texts too", async () => {
    const script = (): ScriptEntry => `${long}Write to ann@example.com.`;
    const stream = await guarded(script()).stream("I am eve@example.com");
    expect((await read(stream.textStream)).join("")).toBe(`${long}Write to [email].`);
    const { messages } = await guarded(script()).generate("I am eve@example.com");
    expect(JSON.stringify(messages)).not.toContain("@example.com");
  });

  it("judge what comes after an approval, and deny calls", async () => {
    const script = (): ScriptEntry[] => [[call("1", "book"), call("2", "burn")], "It is a secret."];
    const agent = guarded(...script());
    const held = await agent.stream("go");
    await read(held.fullStream);
    expect(await held.finishReason).toBe("suspended");
    const resumed = await agent.approveToolCall({ runId: held.runId, toolCallId: "1" });
    const chunks = await read(resumed.fullStream);
    expect(JSON.stringify(chunks)).not.toMatch(/Why not|secret/);
    expect(textIn(chunks)).toBe("Sorry.");
    expect(resumed.tripwire).toMatchObject({ processorId: "strict" });
  });
});
