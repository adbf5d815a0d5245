import assert from "node:assert/strict";
import test from "node:test";
import { knownQuestions, model, tape, teaShop } from "./agent.js";

test("remembers what was said in the thread", async () => {
  const shop = teaShop(tape.model(model));
  const answers: string[] = [];
  for (const question of knownQuestions) answers.push((await shop.generate(question, { threadId: "test" })).text);
  assert.match(answers[0] ?? "", /sencha.*gyokuro/i);
  assert.match(answers[1] ?? "", /sencha|gyokuro/i);
});
