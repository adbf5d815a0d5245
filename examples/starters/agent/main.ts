// npm start                                     the first known question
// npm start -- "What is the weather in Oslo?"   a question of your own, which needs OPENAI_API_KEY
import { KumikoError } from "kumiko";
import { hasKey, knownQuestions, model, tape, weatherAgent } from "./agent.js";

const question = process.argv.slice(2).join(" ") || (knownQuestions[0] ?? "");
if (!hasKey) console.log("OPENAI_API_KEY is not set: the answer comes from the folder tape, not from a model.");
console.log(`> ${question}`);
try {
  const agent = weatherAgent(hasKey ? model : tape.model(model));
  for await (const piece of agent.stream(question).textStream) process.stdout.write(piece);
  process.stdout.write("\n");
} catch (error) {
  if (!KumikoError.is(error) || error.code !== "TAPE_MISS") throw error;
  console.log(`The tape knows these questions: ${knownQuestions.join(" ")}`);
  console.log("Set OPENAI_API_KEY to ask a model anything else, or after you have changed instructions or tools.");
}
