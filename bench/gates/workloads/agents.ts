import { type AgenticMessage, type AgenticModel, assistantMessage, createTool, functionToolCall } from "kumiko";
import { type Agent, createAgent, createMiddleware } from "kumiko/agents";
import type { Workload, Workloads } from "./workload.js";

const ROUNDS = 10;
const STEPS = ROUNDS + 1;
const PIECES = 100;

/** What turns of agents cost. */
export const agentWorkloads: Workloads = {
  "agent, per step": steps(() => agentWith({})),
  "agent with 6 middlewares without hooks, per step": steps(() =>
    agentWith({ middleware: Array.from({ length: 6 }, (_, n) => createMiddleware({ name: `unused${n}` })) }),
  ),
  "agent, from chunk to event": {
    prepare: () => {
      const agent = createAgent({ model: writing });
      return async () => {
        let count = 0;
        for await (const { type } of agent.stream("Write.")) if (type === "text_delta") count += 1;
        return count;
      };
    },
    operations: PIECES,
    expected: PIECES,
  },
};

function steps(prepare: () => Agent): Workload {
  return {
    prepare: () => {
      const agent = prepare();
      return async () => (await agent.generate("Measure.")).steps.length;
    },
    operations: STEPS,
    expected: STEPS,
  };
}

function agentWith(options: Pick<Parameters<typeof createAgent>[0], "middleware">): Agent {
  const tool = createTool({
    id: "measure",
    description: "Measures a name.",
    execute: async () => "8",
  });
  return createAgent({ model: calling, tools: [tool], ...options });
}

const calling: AgenticModel = {
  component: "model",
  generate: async (messages) => answerTo(messages),
  async *stream(messages) {
    yield answerTo(messages);
  },
};

function answerTo(messages: readonly AgenticMessage[]): AgenticMessage {
  const done = (messages.length - 1) / 2;
  if (done >= ROUNDS) return assistantMessage("8");
  return assistantMessage([functionToolCall({ callId: `call_${done}`, name: "measure", arguments: "{}" })]);
}

const writing: AgenticModel = {
  component: "model",
  generate: async () => assistantMessage("text"),
  async *stream() {
    for (let n = 0; n < PIECES; n++) {
      const piece: AgenticMessage = {
        role: "assistant",
        contentBlocks: [{ type: "assistant_gen_text", text: "piece ", streamingMeta: { index: 0 } }],
      };
      yield piece;
    }
  },
};
