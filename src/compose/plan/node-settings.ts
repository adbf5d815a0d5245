import { checkOptions } from "../../check-options.js";
import { KumikoError } from "../../errors.js";
import { isFields } from "../../is.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import { invalidNodeOption, stateRequired } from "../errors.js";
import { checkFieldKey } from "./key.js";
import { LONE_INDEX, type NodeBody, type NodeSettings } from "./plan.js";
import { checkPolicies, policyNames } from "./policy-settings.js";

const stateOptions = ["before", "after", "streamBefore", "streamAfter"] as const;
/** The names of the options of a node in a graph. */
export const nodeOptionNames: readonly string[] = [
  "name",
  "inputKey",
  "outputKey",
  "options",
  "merge",
  "concat",
  ...stateOptions,
  ...policyNames,
] satisfies (keyof NodeSettings)[];
const concatNames: readonly unknown[] = ["list", "last", "record", "text"] satisfies DeclaredConcat[];

const noSettings: NodeSettings = Object.freeze({});

/** Checks the options of a node and returns a frozen copy. */
export function checkSettings(key: string, options: object | undefined, hasState: boolean): NodeSettings {
  if (options === undefined) return noSettings;
  const where = `node "${key}"`;
  const refuse = (text: string): KumikoError => new KumikoError("INVALID_OPTION", text, { nodePath: [key] });
  checkOptions(where, options, nodeOptionNames, { refuse });
  const settings: NodeSettings = { ...options };
  checkValues(key, settings);
  checkPolicies(where, settings, refuse);
  for (const option of stateOptions) {
    if (settings[option] === undefined) continue;
    checkFunction(key, option, settings[option]);
    if (!hasState) throw stateRequired(key, option);
  }
  return Object.freeze(settings);
}

function checkValues(key: string, { name, inputKey, outputKey, options, merge, concat }: NodeSettings): void {
  if (name !== undefined && typeof name !== "string") throw invalidNodeOption(key, "name must be a string.");
  if (inputKey !== undefined) checkFieldKey(`The inputKey of node "${key}"`, inputKey);
  if (outputKey !== undefined) checkFieldKey(`The outputKey of node "${key}"`, outputKey);
  if (options !== undefined && typeof options !== "function" && !isFields(options)) {
    throw invalidNodeOption(
      key,
      "options must be an object with default call options of the node, or a function that returns one.",
    );
  }
  if (merge !== undefined) checkFunction(key, "merge", merge);
  if (!isDeclaredConcat(concat)) throw invalidNodeOption(key, concatAdvice);
}

/** Whether it is a valid `concat` option, or undefined. */
export function isDeclaredConcat(concat: unknown): boolean {
  return concat === undefined || typeof concat === "function" || concatNames.includes(concat);
}

export const concatAdvice = `concat must be one of ${concatNames.join(", ")}, or a function of the chunks.`;

function checkFunction(key: string, option: string, value: unknown): void {
  if (typeof value !== "function") throw invalidNodeOption(key, `${option} must be a function.`);
}

/** Checks options that depend on the kind of node: graphs and passthroughs take no call options. */
export function checkNodeOptions(key: string, body: NodeBody, settings: NodeSettings): void {
  const { options } = settings;
  if (body.kind === "passthrough") {
    const name = policyNames.find((policy) => settings[policy] !== undefined && settings[policy] !== false);
    if (name !== undefined)
      throw invalidNodeOption(key, `a passthrough calls nothing, so ${name} has no effect on it.`);
  }
  if (options === undefined) return;
  const inner = body.kind === "each" ? body.plan.nodes[LONE_INDEX]?.body.kind : body.kind;
  if (inner === "graph") {
    throw invalidNodeOption(key, "a graph takes no call options of its own. Set them on the nodes inside it.");
  }
  if (inner === "passthrough") throw invalidNodeOption(key, "a passthrough calls nothing and takes no call options.");
}
