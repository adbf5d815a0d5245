import type { Interrupt } from "../checkpoint/pause/interrupt.js";
import type { Answers } from "../compose/options.js";
import { isFields } from "../is.js";
import { structured } from "../models/structured.js";
import type { Model } from "../models/to-model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { systemMessage } from "../schema/message/construct-message.js";
import type { AgentParts } from "./agent-parts.js";
import { isToolSuspended } from "./interrupt-kinds.js";

/**
 * Reads answers to suspended tools out of what the user has written. A model never answers an approval. `undefined` when there
 * is none.
 */
export async function suspendedAnswers(
  { options }: AgentParts,
  interrupts: readonly Interrupt[],
  messages: readonly AgenticMessage[],
  threadId: string,
): Promise<Answers | undefined> {
  const suspended = interrupts.filter(isToolSuspended).filter(({ schema }) => schema !== undefined);
  if (suspended.length === 0 || messages.length === 0) return undefined;
  const { model } = options;
  if (typeof model === "function") return undefined;
  const entries = suspended.map(({ schema }, index) => [`question_${index + 1}`, schema] as const);
  const questions = suspended.map(
    ({ info }, index) => `question_${index + 1}: tool "${info.toolName}" asks ${JSON.stringify(info.payload ?? null)}`,
  );
  const asked = structured(model as Model, {
    type: "object",
    properties: Object.fromEntries(entries),
    additionalProperties: false,
  });
  const task = `Tools wait for answers. Give those that the user's message holds, and leave out the others.\n${questions.join("\n")}`;
  const found = await asked.invoke([systemMessage(task), ...messages], { requestContext: { threadId } });
  if (!isFields(found)) return undefined;
  const answers = suspended.flatMap(({ id }, index): [string, unknown][] => {
    const answer = found[`question_${index + 1}`];
    return answer === undefined ? [] : [[id, answer]];
  });
  return answers.length === 0 ? undefined : Object.fromEntries(answers);
}
