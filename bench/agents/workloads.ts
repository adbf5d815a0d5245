import type { Contender } from "../contender.js";
import type { Target, Workload } from "../workloads.js";
import { agentsOfAiSdk } from "./ai-sdk.js";
import { withNoOperation, withoutMiddleware } from "./own.js";
import { REQUESTS, serveBare } from "./serving.js";
import { type AgentTask, answer, PIECES, piece, STEPS, TURNS } from "./tasks.js";

const aiSdk: Contender = { name: "AI SDK", agents: agentsOfAiSdk };
const noOperation: Contender = { name: "kumiko with a no-op handler", agents: withNoOperation };
const noMiddleware: Contender = { name: "kumiko without", agents: withoutMiddleware };
const bareLoop: Contender = { name: "by hand", agents: serveBare };

/** Turns of agents, and what their models and threads cost. */
export const agentWorkloads: readonly Workload[] = [
  of("generate", `agent, a turn of ${STEPS} steps with one call each, per step`, STEPS, answer, { ratio: 3 }),
  {
    ...of("generate-package", "… with a model of the AI SDK, per step", STEPS, answer, { ratio: 0.1 }),
    base: { ...aiSdk, name: "generateText" },
  },
  {
    ...of("events", "… streamed, all events read, per step", STEPS, answer, { ratio: 0.1 }),
    base: { ...aiSdk, name: "streamText" },
  },
  of("chunks", `agent, a streamed answer of ${PIECES} pieces, from chunk to event`, PIECES, PIECES * piece.length, {
    ratio: 4,
  }),
  {
    ...of("guard", "… past a guard that lets it pass, from chunk to event", PIECES, PIECES * piece.length, {
      ratio: 1.2,
    }),
    base: noMiddleware,
  },
  of(
    "adapter",
    `model of the AI SDK, a streamed answer of ${PIECES} pieces, per piece`,
    PIECES,
    PIECES * piece.length,
    {
      ratio: 2,
    },
  ),
  {
    ...of("hooks", "agent with 6 middlewares without hooks, per step", STEPS, answer, { ratio: 1.1 }),
    base: noMiddleware,
  },
  {
    ...of("tracer", "agent with otelTracer, no SDK, per step", STEPS, answer, { ratio: 1.5 }),
    base: noOperation,
  },
  of("thread", `messages of a thread of ${TURNS} turns, per turn`, TURNS, TURNS * 2, undefined),
  {
    ...of("ui", "uiMessageStream over HTTP, 100 connections, per request", REQUESTS, REQUESTS, { ratio: 2.5 }),
    base: bareLoop,
    calls: 2,
  },
];

function of(
  task: AgentTask,
  title: string,
  operations: number,
  expected: unknown,
  target: Target | undefined,
): Workload {
  return {
    id: `agent-${task}`,
    group: "agents",
    title,
    operations,
    work: ({ agents }) => agents?.[task]?.(),
    expected,
    target,
    own: true,
  };
}
