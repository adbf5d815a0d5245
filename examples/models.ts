// A model from a provider package of the AI SDK, with retries when its service is busy, and a second model as a
// fallback. The services are local servers, so this runs without an API key; with one, leave out `baseURL`.
// expect: attempt 1 failed: Slow down.
// expect: streamed: The | leaves | are | red.
// expect: { city: 'Kyoto', celsius: 18 }
// expect: cost: 0.000164 dollars
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { runnable, textOf, userMessage } from "kumiko";
import { costOf, fallbackModel, retryModel, structured } from "kumiko/models";
import { z } from "zod";

// --- a service that is busy at first -----------------------------------------------------------------------------------

const usage = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };
let requests = 0;
const service = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  requests += 1;
  if (requests === 1) {
    response.writeHead(429, { "content-type": "application/json", "retry-after-ms": "20" });
    response.end('{"error":{"message":"Slow down."}}');
  } else if (JSON.parse(body).stream === true) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const content of ["The", " leaves", " are", " red."]) send({ choices: [{ index: 0, delta: { content } }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage });
    response.end("data: [DONE]\n\n");
  } else {
    const message = { role: "assistant", content: '{"city":"Kyoto","celsius":18}' };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }));
  }
  function send(event: object): void {
    response.write(`data: ${JSON.stringify({ id: "1", model: "small", created: 0, ...event })}\n\n`);
  }
});
await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
const baseURL = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

// --- the models --------------------------------------------------------------------------------------------------------

const local = createOpenAICompatible({ name: "local", baseURL, includeUsage: true, supportsStructuredOutputs: true });
const model = fallbackModel([retryModel(local("small"), { delayMs: 10 }), local("large")]);

const callbacks = [
  {
    onEvent: (_: unknown, event: unknown) => {
      const { kind, attempt, message } = event as { kind: string; attempt: number; message: string };
      if (kind === "retry") console.log(`attempt ${attempt} failed: ${message}`);
    },
  },
];

const words: string[] = [];
const question = [userMessage("What is it like in Kyoto in November?")];
for await (const chunk of runnable(model).stream(question, { callbacks })) {
  const text = textOf(chunk).trim();
  if (text !== "") words.push(text);
}
console.log(`streamed: ${words.join(" | ")}`);

const forecast = structured(model, z.object({ city: z.string(), celsius: z.number() }));
console.log(await forecast.invoke(question));

// --- what it costs: `responseMeta.model` is the model that answered ------------------------------------------------------

const { responseMeta } = await runnable(model).invoke(question);
const { model: name = "", tokenUsage } = responseMeta ?? {};
if (tokenUsage !== undefined) {
  console.log(`cost: ${costOf({ [name]: tokenUsage }, { "local/small": { input: 2, output: 20 } })} dollars`);
}
service.close();
