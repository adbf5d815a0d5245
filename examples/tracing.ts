// OpenTelemetry traces, sent over OTLP/HTTP. The collector is a local server, so this runs without a real one; with a
// real one, leave out `url` and everything about the server.
// expect: invoke_workflow weather: 60 tokens in, 12 out, 0.000195 dollars
// expect:   chat ScriptedModel
// expect:   execute_tool get_weather
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  createTool,
  END,
  functionToolCall,
  Graph,
  START,
  toolCallsOr,
  userMessage,
} from "kumiko";
import { otelTracer } from "kumiko/otel";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

// --- a collector -------------------------------------------------------------------------------------------------------

interface Span {
  readonly name: string;
  readonly parentSpanId?: string;
  readonly attributes: { readonly key: string; readonly value: { intValue?: number; doubleValue?: number } }[];
}

const collected: Span[] = [];
const collector = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  collected.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;

// --- the SDK, as every program sets it up --------------------------------------------------------------------------------

const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))] });
trace.setGlobalTracerProvider(provider);

// --- an agent's loop -----------------------------------------------------------------------------------------------------

const usage = (promptTokens: number, completionTokens: number) => ({
  responseMeta: {
    model: "openai/gpt-5",
    tokenUsage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens },
  },
});
const call = functionToolCall({ callId: "1", name: "get_weather", arguments: '{"city":"Kyoto"}' });
const model = scriptedModel(
  assistantMessage(call, usage(20, 8)),
  assistantMessage("It is 21 degrees in Kyoto.", usage(40, 4)),
);
const getWeather = createTool({
  id: "get_weather",
  description: "Current weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, celsius: 21 }),
});
const tools = new AgenticToolsNode([getWeather]);
const weather = new Graph<AgenticMessage[], AgenticMessage>()
  .addModelNode("model", model, { options: { tools: tools.infos } })
  .addToolsNode("tools", tools)
  .addEdge(START, "model")
  .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END))
  .addEdge("tools", "model")
  .compile({ name: "weather" });

const callbacks = [otelTracer({ prices: { "openai/gpt-5": { input: 1.25, output: 10 } } })];
await weather.invoke([userMessage("How warm is it in Kyoto?")], { callbacks });
await provider.shutdown();

// --- what has arrived ------------------------------------------------------------------------------------------------------

for (const { name, parentSpanId, attributes } of collected.reverse()) {
  const numberOf = (key: string): number | undefined => {
    const value = attributes.find((attribute) => attribute.key === `gen_ai.usage.${key}`)?.value;
    return value?.intValue ?? value?.doubleValue;
  };
  const [tokensIn, tokensOut, cost] = ["input_tokens", "output_tokens", "cost"].map(numberOf);
  const spent = tokensIn === undefined ? "" : `: ${tokensIn} tokens in, ${tokensOut} out, ${cost?.toFixed(6)} dollars`;
  console.log(`${parentSpanId === undefined ? "" : "  "}${name}${spent}`);
}
collector.close();
