// Runs where code may not be made from strings. interpret.test.ts starts it.

import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  functionToolCall,
  isInterrupt,
  KumikoError,
  memoryStore,
} from "kumiko";
import { z } from "zod";
import { isCodeForbidden } from "../../../src/schema/json-schema/interpret.js";
import { JsonSchemaValidator } from "../../../src/schema/json-schema-validator.js";

const pay = createTool({
  id: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] },
  requireApproval: true,
  execute: async (input) => `paid ${(input as { euros: number }).euros}`,
});
const app = new Chain<string>()
  .append((name) => assistantMessage([functionToolCall({ callId: name, name: "pay", arguments: '{"euros":3}' })]))
  .append(new AgenticToolsNode([pay]))
  .append(async ([message], ctx) => {
    const [block] = message?.contentBlocks ?? [];
    const paid = block?.type === "function_tool_result" ? block.result : "";
    const name = await ctx.ask("to", "To whom?", z.object({ name: z.string() }));
    const sure = await ctx.ask("sure", "Sure?", { type: "boolean" });
    return `${paid} to ${name.name}, ${sure}`;
  })
  .compile({ store: memoryStore() });

let refused = "";
let run = app.invoke("c1", { checkpointId: "id" });
let result: string | undefined;
for (const answer of [{ approved: true }, { name: "Ada" }, true]) {
  try {
    result = await run;
  } catch (error) {
    if (!isInterrupt(error)) throw error;
    const [{ id }] = error.interrupts;
    await app.resume("id", { [id]: 7 }).catch((mismatch: unknown) => {
      refused = KumikoError.is(mismatch) ? mismatch.code : String(mismatch);
    });
    run = app.resume("id", { [id]: answer });
    run.catch(() => undefined);
  }
}
result = await run;
const check = await new JsonSchemaValidator().compile({ type: "object", required: ["city"] });
console.log(JSON.stringify({ forbidden: isCodeForbidden(), refused, result, issue: check({})?.[0]?.message }));
