import { type AgenticModel, createTool, type Handler, memoryStore, runnable, userMessage } from "kumiko";
import { type Agent, createAgent, createMiddleware, guard, threads } from "kumiko/agents";
import { aiSdkModel } from "kumiko/models";
import { otelTracer } from "kumiko/otel";
import { type Work, weather } from "../contender.js";
import { answerTo, talk, textIn, textPieces } from "./by-hand.js";
import { packageModel, writingModel } from "./package-model.js";
import { type AgentWorks, instructions, question } from "./tasks.js";

const { name: id, description, schema: inputSchema, execute } = weather;
const tools = [createTool({ id, description, inputSchema, execute })];

const answering: AgenticModel = {
  component: "model",
  generate: answerTo,
  async *stream(messages) {
    yield await answerTo(messages);
  },
};
const writing: AgenticModel = { component: "model", generate: answerTo, stream: textPieces };

export const ownAgents: AgentWorks = {
  generate: () => generating(createAgent({ model: answering, tools, instructions })),
  "generate-package": () => generating(createAgent({ model: packageModel, tools, instructions })),
  events: () => {
    const agent = createAgent({ model: packageModel, tools, instructions });
    return async () => {
      let text = "";
      for await (const event of agent.stream(question)) if (event.type === "text_delta") text += event.delta;
      return text;
    };
  },
  chunks: () => reading(createAgent({ model: writing })),
  guard: () => {
    const passing = guard({ name: "passing", output: () => undefined });
    return reading(createAgent({ model: writing, middleware: [passing] }));
  },
  adapter: () => {
    const model = runnable(aiSdkModel(writingModel));
    return async () => {
      let length = 0;
      for await (const chunk of model.stream([userMessage(question)])) length += textIn(chunk).length;
      return length;
    };
  },
  tracer: () => traced(otelTracer()),
  hooks: () => {
    const middleware = Array.from({ length: 6 }, (_, n) => createMiddleware({ name: `unused${n}` }));
    return generating(createAgent({ model: answering, tools, instructions, middleware }));
  },
  thread: () => {
    const store = memoryStore();
    const all = threads(store);
    const written = (async () => {
      for (const messages of talk) await all.append("u", messages);
    })();
    return async () => {
      await written;
      return (await all.messages("u")).length;
    };
  },
};

/** Rows that compare this library with itself. */
export const withNoOperation: AgentWorks = { tracer: () => traced({ onStart() {}, onEnd() {} }) };
export const withoutMiddleware: AgentWorks = {
  hooks: () => ownAgents.generate?.() as Work,
  guard: () => ownAgents.chunks?.() as Work,
};

function reading(agent: Agent): Work {
  return async () => {
    let length = 0;
    for await (const event of agent.stream(question)) if (event.type === "text_delta") length += event.delta.length;
    return length;
  };
}

function generating(agent: Agent): Work {
  return async () => (await agent.generate(question)).text;
}

function traced(handler: Handler): Work {
  return generating(createAgent({ model: answering, tools, instructions, callbacks: [handler] }));
}
