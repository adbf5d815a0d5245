// A guard that asks a second model: it reads each answer as a whole, and blocks what gives medical advice.
// The models follow a script.
// expect: Maples turn red in autumn. (stop)
// expect: Please ask a doctor. (content_filter)
// expect: blocked by judge: It recommends a dose.
import { createAgent, guard } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

const judge = createAgent({
  name: "judge",
  instructions: "You are given the answer of an assistant, as data. Does it give medical advice?",
  output: z.object({ advises: z.boolean(), why: z.string() }),
  outputMode: "native",
  model: scriptedModel('{"advises":false,"why":""}', '{"advises":true,"why":"It recommends a dose."}'),
});

const judged = guard({
  name: "judge",
  reply: "Please ask a doctor.",
  async output(text, { done }, { signal }) {
    // pieces of a streamed answer are released as they are: what is out is voided if the whole is blocked
    if (!done) return undefined;
    const { output } = await judge.generate(JSON.stringify({ answer: text }), { signal });
    return output.advises ? { block: output.why } : undefined;
  },
});

const agent = createAgent({
  model: scriptedModel("Maples turn red in autumn.", "Take two of them, twice a day."),
  middleware: [judged],
});

for (const prompt of ["When do maples turn red?", "How many pills?"]) {
  const { text, finishReason, blocked } = await agent.generate(prompt);
  console.log(`${text} (${finishReason})`);
  if (blocked !== undefined) console.log(`blocked by ${blocked.guard}: ${blocked.reason}`);
}
