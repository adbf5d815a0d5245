// npm start   a chat in the terminal; without a terminal, the known questions
import { createInterface } from "node:readline/promises";
import { KumikoError } from "kumiko";
import { hasKey, knownQuestions, model, tape, teaShop } from "./agent.js";

const shop = teaShop(hasKey ? model : tape.model(model));
let thread = 1;

async function answer(question: string): Promise<void> {
  try {
    for await (const piece of shop.stream(question, { threadId: `chat-${thread}` }).textStream)
      process.stdout.write(piece);
    process.stdout.write("\n");
  } catch (error) {
    if (!KumikoError.is(error) || error.code !== "TAPE_MISS") throw error;
    console.log(`The tape knows these questions: ${knownQuestions.join(" ")} This is a new chat: ask the first one.`);
    console.log("Set OPENAI_API_KEY to ask a model anything else, or after you have changed the instructions.");
    thread += 1;
  }
}

if (!hasKey) {
  console.log("OPENAI_API_KEY is not set: answers come from the folder tape, not from a model.");
  console.log(`It knows: ${knownQuestions.join(" ")}`);
}
if (process.stdin.isTTY) {
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });
  console.log("Leave with Ctrl+D.");
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== "") await answer(line.trim());
    lines.prompt();
  }
} else {
  for (const question of process.argv.length > 2 ? process.argv.slice(2) : knownQuestions) {
    console.log(`> ${question}`);
    await answer(question);
  }
}
