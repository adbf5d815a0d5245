import type { NodeContext } from "../../components/context.js";
import { isFields, textIf } from "../../is.js";
import { shorten } from "../../schema/shorten.js";
import { tell } from "../tell.js";

/** The maximum number of remembered warnings, because some providers send texts that vary. */
const most = 1_000;

/** Reports the warnings of a provider package as the side event `model_warning`, each text once. */
export class ModelWarnings {
  readonly #told = new Set<string>();
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  report(warning: unknown, ctx: NodeContext): void {
    const message = textOf(warning);
    if (this.#told.has(message) || this.#told.size >= most) return;
    this.#told.add(message);
    tell(ctx, { kind: "model_warning", model: this.#model, message, warning });
  }
}

/** Packages of different specs name the parts of a warning differently. */
function textOf(warning: unknown): string {
  if (typeof warning === "string") return warning;
  if (!isFields(warning)) return shorten(warning);
  const { type, message, feature, setting, tool, details } = warning;
  const about = textIf(feature) ?? textIf(setting) ?? (isFields(tool) ? textIf(tool.name) : undefined);
  const head = about === undefined ? undefined : `${textIf(type) ?? "warning"}: ${about}`;
  const texts = [head, textIf(message), textIf(details)].filter((text) => text !== undefined);
  return texts.length === 0 ? shorten(warning) : texts.join(". ");
}
