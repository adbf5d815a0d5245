import type { AgenticModel, ModelContext } from "../components/model.js";
import { isRepeating, type RepeatingModel, repeatsOthers } from "../models/attempts.js";
import type { TokenUsage } from "../schema/message/agentic-message.js";

/** Tells what each whole answer of a model has used. Streams are passed on as they are. */
export function countedModel(
  model: AgenticModel,
  note: (ctx: ModelContext, model: string, usage: TokenUsage | undefined) => void,
): RepeatingModel {
  return {
    component: "model",
    type: model.type,
    [repeatsOthers]: isRepeating(model),
    generate: async (messages, ctx) => {
      const answer = await model.generate(messages, ctx);
      const { model: name = model.type ?? "unknown", tokenUsage } = answer.responseMeta ?? {};
      note(ctx, name, tokenUsage);
      return answer;
    },
    stream: (messages, ctx) => model.stream(messages, ctx),
  };
}
