import assert from "node:assert/strict";
import test from "node:test";
import { calls, matchCalls } from "kumiko/evals";
import { model, tape, weatherAgent } from "./agent.js";

test("looks the weather up before it answers", async () => {
  const result = await weatherAgent(tape.model(model)).generate("What is the weather in Kyoto?");
  assert.deepEqual(matchCalls(calls(result), [{ tool: "get_weather", input: { city: "Kyoto" } }]), { score: 1 });
  assert.match(result.text, /21/);
});
