// Evals: an agent on a tape, scored, compared and gated. The tape is in examples/tapes/evals, so that this runs without a key; with
// one of your own models, record it anew: KUMIKO_TAPE=record.
//
//   npx tsx examples/evals.ts
//
// expect: names: the rate is 0.667, and must be at least 0.9.
// expect: better than a guess: amount, greeting
import { join } from "node:path";
import { assistantMessage, createTool, functionToolCall } from "kumiko";
import { createAgent } from "kumiko/agents";
import { calls, cassette, compare, evaluate, gate, judge, matchCalls } from "kumiko/evals";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

const folder = join(import.meta.dirname, "tapes", "evals");
const isRecording = process.env.KUMIKO_TAPE === "record";
const tape = cassette(folder, { mode: isRecording ? "record" : "replay" });

// --- what is measured: a clerk that looks invoices up --------------------------------------------------------------------

const lookup = createTool({
  id: "lookup",
  description: "Finds an invoice by its id.",
  inputSchema: z.object({ id: z.string() }),
  execute: async ({ id }) => ({ id, cents: id === "inv_7" ? 1250 : 400, status: "open" }),
});

/** It stands in for a provider while the tape is recorded. */
const answers = scriptedModel(
  ...["inv_7", "inv_8"].flatMap((id) => [
    assistantMessage([functionToolCall({ callId: id, name: "lookup", arguments: JSON.stringify({ id }) })]),
    assistantMessage(id === "inv_7" ? "Invoice inv_7 is open: 12.50 euros. Thank you for asking!" : "It is open."),
  ]),
  assistantMessage("Hello! What can I do for you?"),
);
const verdicts = scriptedModel(
  '{"reason":"It thanks the customer.","verdict":"yes"}',
  '{"reason":"It is curt.","verdict":"partly"}',
  '{"reason":"It greets and offers help.","verdict":"yes"}',
);

const clerk = createAgent({
  instructions: "You answer questions about invoices, with the amount in euros.",
  model: tape.model(answers),
  tools: tape.tools([lookup]),
});

// --- cases, scores and a report ------------------------------------------------------------------------------------------

const cases = [
  { id: "amount", input: "Is invoice inv_7 open?", expected: "12.50", looksUp: true },
  { id: "missing amount", input: "Is invoice inv_8 open?", expected: "4.00", looksUp: true },
  { id: "greeting", input: "Hello!", expected: "Hello", looksUp: false },
];

const clerkEvals = evaluate({
  name: "clerk",
  concurrency: 1,
  run: ({ input }, ctx) => clerk.generate(input, { parent: ctx }),
  scorers: {
    names: ({ output, expected = "" }) => output.includes(expected),
    looks: (args) =>
      args.looksUp === true ? matchCalls(args.calls, ["lookup"]) : matchCalls(args.calls, [], { order: "exact" }),
    polite: judge(tape.model(verdicts), "Is the answer polite?"),
  },
});

const report = await clerkEvals.invoke(cases);
for (const { id, scores } of report.results) {
  const shown = Object.entries(scores).map(
    ([name, { score, reason }]) => `${name} ${score}${reason ? ` (${reason})` : ""}`,
  );
  console.log(`${id}: ${shown.join(", ")}`);
}
console.log(gate(report, { names: 0.9, looks: 1, polite: { mean: 0.8 } }).join("\n"));

// --- against a version without tools -------------------------------------------------------------------------------------

const guess = await evaluate({
  run: async () => "It is open.",
  scorers: { names: ({ output, expected = "" }) => output.includes(expected) },
}).invoke(cases);
const { names } = compare(guess, report);
console.log(`better than a guess: ${names?.better.join(", ")} (p = ${names?.p})`);
if (!isRecording) {
  const alone = await clerk.generate("Is invoice inv_7 open?");
  console.log(calls(alone), `${tape.stats.reused} answers again`);
}
