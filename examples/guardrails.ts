// Guards: personal data is replaced before the model and the log see it, rude prompts end the turn, and a payment that is too
// large never runs. The model follows a script.
// expect: the model reads: I am [email]. Pay 500 to Bo.
// expect: paid 50 (denied: 1)
// expect: Only 50 of it.
// expect: Let us stay polite. (content_filter, blocked by polite)
import { createTool, functionToolCall, memoryStore, textOf, toolResultsOf } from "kumiko";
import { createAgent, guard, piiGuard } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

const paid: number[] = [];
const pay = createTool({
  id: "pay",
  description: "Pays an amount.",
  inputSchema: z.object({ amount: z.number() }),
  execute: ({ amount }) => {
    paid.push(amount);
    return "paid";
  },
});
const call = (callId: string, amount: number) =>
  functionToolCall({ callId, name: "pay", arguments: JSON.stringify({ amount }) });

const model = scriptedModel([call("1", 500)], [call("2", 50)], "Only 50 of it.");
const agent = createAgent({
  model,
  store: memoryStore(),
  tools: [pay],
  middleware: [
    guard(piiGuard()),
    guard({
      name: "polite",
      input: (message) => (/idiot/i.test(textOf(message)) ? { block: "It is rude." } : undefined),
      reply: "Let us stay polite.",
    }),
    guard({
      name: "limit",
      toolCall: ({ arguments: text }) => (JSON.parse(text).amount > 100 ? { block: "Too much." } : undefined),
    }),
  ],
});

const { text, messages } = await agent.generate("I am ada@example.com. Pay 500 to Bo.", { threadId: "t" });
console.log(`the model reads: ${model.calls[0]?.messages.map(textOf).join()}`);
const denied = messages.flatMap(toolResultsOf).filter(({ errorKind }) => errorKind === "denied");
console.log(`paid ${paid.join(", ")} (denied: ${denied.length})`);
console.log(text);

const rude = await agent.generate("You idiot", { threadId: "t" });
console.log(`${rude.text} (${rude.finishReason}, blocked by ${rude.blocked?.guard})`);
