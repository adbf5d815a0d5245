import type { AgentResult } from "kumiko/agents";
import { type Ended, endedOf, type Kit } from "./feature.js";
import { features } from "./features.js";

/** How a turn begins and goes on. */
export const hows = ["generate", "stream", "segment"] as const;

/** From one pause of a turn to the next. */
export interface Step {
  readonly feature: string;
  readonly how: (typeof hows)[number];
  readonly thread: string;
  readonly requestId: string;
  readonly prompt?: string;
  readonly answers?: Record<string, unknown>;
}

/** Where a turn has stopped: with questions, or at its end. */
export interface Stop {
  readonly asked: readonly { readonly id: string; readonly toolName: string; readonly input: unknown }[];
  readonly end?: Ended;
}

/** Takes a step with an agent that is made for it. */
export async function takeStep(step: Step, kit: Kit): Promise<Stop> {
  const agent = features[step.feature]?.make(kit);
  if (agent === undefined) throw new Error(`There is no feature ${step.feature}.`);
  const { how, requestId, prompt, answers } = step;
  const own = { userId: "ann" };
  const thread = { threadId: step.thread };
  if (how === "segment") {
    const given = { ...own, ...(prompt !== undefined && { input: prompt }), ...(answers && { answers }) };
    const run = await agent.segment({ ...thread, requestId }, given);
    if (run.status === "waiting") return { asked: run.interrupts.map(askedOf) };
    if (run.status === "finished") return { asked: [], end: endedOf(run.output as AgentResult<unknown>) };
    throw new Error(`The segment is ${run.status}: ${run.error?.message}`);
  }
  const result = await (how === "generate"
    ? prompt !== undefined
      ? agent.generate(prompt, { ...thread, ...own, requestId })
      : agent.resume(thread, answers, own)
    : read(
        prompt !== undefined
          ? agent.stream(prompt, { ...thread, ...own, requestId })
          : agent.resumeStream(thread, answers, own),
      ));
  return result.finishReason === "waiting"
    ? { asked: result.interrupts.map(askedOf) }
    : { asked: [], end: endedOf(result) };
}

async function read(stream: AsyncIterable<unknown> & { readonly result: Promise<AgentResult<unknown>> }) {
  for await (const _event of stream);
  return stream.result;
}

function askedOf({ id, info }: { readonly id: string; readonly info: unknown }) {
  const { toolName, input } = info as { readonly toolName: string; readonly input: unknown };
  return { id, toolName, input };
}
