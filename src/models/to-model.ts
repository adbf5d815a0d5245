import type { AgenticModel, CustomModel, ModelContext } from "../components/model.js";
import { hasMethod, isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { concatMessages } from "../schema/message/concat.js";
import { StreamReader } from "../schema/stream/reader.js";
import { adaptedModel } from "./adapted-model.js";
import { isAiSdkModel } from "./ai-sdk/provider-model.js";
import { noModel, notAModel } from "./errors.js";
import type { Model, NamedModels } from "./model.js";
import { runtimeOf } from "./runtime-parts.js";

/**
 * Makes a model component of any kind of model. A name is resolved by the `models` of the runtime, at once; without a runtime, at
 * each call by that of the graph or agent that calls.
 *
 * @example
 * const runtime = new Runtime({ models: (name) => openai(name === "fast" ? "gpt-5-mini" : "gpt-5") });
 * const app = new Chain<readonly AgenticMessage[]>().appendModel(toModel("fast", runtime)).compile({ runtime });
 */
export function toModel(model: Model, runtime?: { readonly models?: NamedModels | undefined }): AgenticModel {
  return modelFrom(model, "toModel", runtime);
}

/** See {@link toModel}. `where` names the caller in errors. */
export function modelFrom(
  model: Model,
  where: string,
  runtime?: { readonly models?: NamedModels | undefined },
): AgenticModel {
  if (typeof model === "string") {
    return runtime === undefined ? new NamedModel(model, where) : resolved(model, where, runtime.models);
  }
  if (isAiSdkModel(model)) return adaptedModel(model);
  if (isCustomModel(model)) return withBothMethods(model);
  throw notAModel(model, where, "doGenerate");
}

/** A model, and how a run finds it: the one of a name is known only to the runtime of the run that calls it. */
export function resolvedModel(
  model: Model,
  where: string,
): { readonly type: string | undefined; readonly find: (ctx: ModelContext) => AgenticModel } {
  const made = modelFrom(model, where);
  return { type: made.type, find: made instanceof NamedModel ? (ctx) => made.modelFor(ctx) : () => made };
}

function isCustomModel(value: unknown): value is CustomModel {
  return isFields(value) && value.component === "model" && (hasMethod(value, "generate") || hasMethod(value, "stream"));
}

/** Adds the method that a model lacks: `generate` joins the stream, and `stream` yields the whole answer. */
function withBothMethods(model: CustomModel): AgenticModel {
  if (hasBoth(model)) return model;
  const { component, type } = model;
  if (canGenerate(model)) {
    return {
      component,
      type,
      generate: (messages, ctx) => model.generate(messages, ctx),
      async *stream(messages, ctx) {
        yield await model.generate(messages, ctx);
      },
    };
  }
  return {
    component,
    type,
    async generate(messages, ctx) {
      const chunks: AgenticMessage[] = [];
      for await (const chunk of StreamReader.from(model.stream(messages, ctx))) chunks.push(chunk);
      return concatMessages(chunks);
    },
    stream: (messages, ctx) => model.stream(messages, ctx),
  };
}

function canGenerate(model: CustomModel): model is Pick<AgenticModel, "component" | "type" | "generate"> {
  return hasMethod(model, "generate");
}

function hasBoth(model: CustomModel): model is AgenticModel {
  return canGenerate(model) && hasMethod(model, "stream");
}

/** A model that is known by its name until a run calls it. */
class NamedModel implements AgenticModel {
  readonly component = "model" as const;
  readonly type: string;
  readonly #name: string;
  readonly #where: string;
  /** The models of each runtime by this name: an adapter reports each warning once. */
  readonly #resolved = new WeakMap<object, AgenticModel>();

  constructor(name: string, where: string) {
    this.type = name.replace(":", "/");
    this.#name = name;
    this.#where = where;
  }

  async generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    return this.modelFor(ctx).generate(messages, ctx);
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    return StreamReader.from(this.modelFor(ctx).stream(messages, ctx));
  }

  modelFor(ctx: ModelContext): AgenticModel {
    const models = runtimeOf(ctx)?.models as NamedModels | undefined;
    const model = (models && this.#resolved.get(models)) ?? resolved(this.#name, this.#where, models);
    if (models !== undefined) this.#resolved.set(models, model);
    return model;
  }
}

/** A model by its name. A name may stand for another one. */
function resolved(name: string, where: string, models: NamedModels | undefined): AgenticModel {
  const names = new Set<string>();
  let found: Model | undefined = name;
  while (typeof found === "string" && !names.has(found)) {
    names.add(found);
    found = lookUp(found, where, models);
  }
  if (found === undefined || typeof found === "string") throw noModel(name, where, models);
  return modelFrom(found, `models of the Runtime, asked for "${name}" by ${where},`);
}

function lookUp(name: string, where: string, models: NamedModels | undefined): Model | undefined {
  if (models === undefined) return undefined;
  try {
    return "languageModel" in models ? models.languageModel(name) : models(name);
  } catch (cause) {
    throw noModel(name, where, models, cause);
  }
}
