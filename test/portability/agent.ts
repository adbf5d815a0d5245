// An agent loop with a tool of a plain JSON Schema, a repaired call, an approval, a question with a schema of zod, a stream, an
// abort and saves. portability.test.ts runs it against the packed package in each runtime: `program.ts` as a program, `worker.ts`
// in workerd, `page.ts` in a browser.
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  functionToolCall,
  Graph,
  isInterrupt,
  memoryStore,
  START,
  textOf,
  toolCallsOr,
  userMessage,
} from "kumiko";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";
import { callMcp, callOpenApi } from "./foreign-tools.js";

const pay = createTool({
  id: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] },
  requireApproval: true,
  execute: async (input, ctx) => {
    const { payer } = await ctx.ask("payer", "Who pays?", z.object({ payer: z.string().min(1) }));
    return `${payer} paid ${(input as { euros: number }).euros}`;
  },
});
const call = (callId: string, text: string) =>
  assistantMessage([functionToolCall({ callId, name: "pay", arguments: text })]);
const model = scriptedModel(call("c1", '{"euros":"three"}'), call("c2", '{"euros":3}'), assistantMessage("done"));

const results: string[] = [];
const store = memoryStore();
const agent = new Graph<AgenticMessage[], AgenticMessage>()
  .withState(() => ({ history: [] as AgenticMessage[] }))
  .addModelNode("model", model, {
    before: (input, { history }) => {
      history.push(...input);
      return [...history];
    },
  })
  .addToolsNode("tools", new AgenticToolsNode({ tools: [pay], onToolError: "result" }), {
    before: (message, { history }) => {
      history.push(message);
      return message;
    },
    after: (messages) => {
      for (const { contentBlocks } of messages)
        for (const block of contentBlocks) if (block.type === "function_tool_result") results.push(block.result);
      return messages;
    },
  })
  .addEdge(START, "model")
  .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END))
  .addEdge("tools", "model")
  .compile({ store, durability: "step" });

/** Runs it all and gives what came of it. */
export async function main(): Promise<object> {
  const asked: unknown[] = [];
  const approval = await stopOf(agent.invoke([userMessage("Pay 3.")], { checkpointId: "run" }));
  asked.push(approval.info);
  const question = await stopOf(agent.resume("run", { [approval.id]: { approved: true } }));
  asked.push(question.info);
  const refused = await agent.resume("run", { [question.id]: { payer: 5 } }).catch(codeOf);
  const saved: string[] = [];
  for await (const id of store.list("")) saved.push(id);
  let answer = "";
  for await (const chunk of agent.resumeStream("run", { [question.id]: { payer: "Ada" } })) answer += textOf(chunk);
  return {
    asked,
    refused,
    results: results.map((text) => text.replace(/^.*(?=must be)/s, "")),
    answer,
    saved,
    reason: await abort(),
    mcp: await callMcp(),
    openApi: await callOpenApi(),
    codeFromStrings: canMakeCode(),
  };
}

async function stopOf(run: Promise<unknown>) {
  try {
    await run;
  } catch (error) {
    if (isInterrupt(error)) return error.interrupts[0];
    throw error;
  }
  throw new Error("The run did not stop.");
}

async function abort(): Promise<unknown> {
  const endless = new Chain<string>().append(async function* (text) {
    for (;;) yield text;
  });
  const controller = new AbortController();
  try {
    for await (const _ of endless.compile().stream("x", { signal: controller.signal })) controller.abort("enough");
  } catch (error) {
    return error;
  }
  return "never aborted";
}

const codeOf = (error: { readonly code?: unknown }) => error.code;

function canMakeCode(): boolean {
  try {
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}
