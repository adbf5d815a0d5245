import type { NodeContext } from "../components/context.js";
import { isFields } from "../is.js";
import { adaptedModel } from "../models/adapted-model.js";
import { isAiSdkModel } from "../models/ai-sdk/provider-model.js";
import { invalidNode } from "./errors.js";
import type { RunOptions } from "./options.js";
import { type HasNodeDefinition, hasNodeDefinition, type NodeDefinition } from "./plan/node-definition.js";
import type { NodeBody, NodeFunction, Payload } from "./plan/plan.js";

/** Converts a value to a node. Runnables and builders of this library have their own definition, which is read at `compile()`. */
export function toNode(key: string, node: unknown): NodeDefinition | HasNodeDefinition {
  if (typeof node === "function") return fromFunction(key, node);
  if (typeof node !== "object" || node === null) throw invalidNode(key, `is ${kindOf(node)}. ${advice}`);
  if (hasNodeDefinition(node)) return node;
  const kind: unknown = "component" in node ? node.component : undefined;
  if (isComponentName(kind)) return fromComponent(key, node, kind);
  if (isAiSdkModel(node)) return fromComponent(key, adaptedModel(node), "model");
  if (modes.every((mode) => hasMethod(node, mode))) return fromForeignRunnable(node);
  throw invalidNode(key, kind === undefined ? `is ${kindOf(node)}. ${advice}` : describeComponent(kind));
}

/** Throws for a model where a tools node is needed. `method` is what was called. */
export function checkToolsNode(method: string, key: unknown, node: unknown): void {
  const isModel = isAiSdkModel(node) || (isFields(node) && node.component === "model");
  if (!isModel) return;
  const modelMethod = method === "addToolsNode" ? "addModelNode" : "appendModel";
  throw invalidNode(
    String(key),
    `is a model, but ${method} takes a tools node: new AgenticToolsNode({ tools }). For a model, call ${modelMethod}.`,
  );
}

const advice =
  "A node is a function, a Runnable, a graph or chain, or a component (a model, template, tools node, retriever …).";

function describeComponent(kind: unknown): string {
  if (kind === "agent") return "is an agent. Its graph is a node: agent.graph.";
  if (kind === "tool") return "is a tool. Tools are nodes together: new AgenticToolsNode({ tools: [tool] }).";
  return `has the unknown component ${JSON.stringify(kind)}. Components: ${Object.keys(shapes).join(", ")}.`;
}

function kindOf(node: unknown): string {
  if (Array.isArray(node)) return "a list";
  if (typeof node !== "object" || node === null)
    return `${typeof node === "undefined" ? "" : "the value "}${String(node)}`;
  if ("then" in node && typeof node.then === "function") return "a promise: await it before it is added";
  return "an object of another kind";
}

function fromFunction(key: string, node: object): NodeDefinition {
  if (isClass(node)) throw invalidNode(key, `is a class. Pass an instance, or a function that creates one.`);
  return { component: "lambda", type: "", body: { kind: "function", call: node as NodeFunction } };
}

/** Whether it is a class. Built-in classes such as `String` can be called, and are allowed. */
function isClass(node: object): boolean {
  if (Object.getOwnPropertyDescriptor(node, "prototype")?.writable !== false) return false;
  return Function.prototype.toString.call(node).startsWith("class");
}

type ComponentName = "model" | "template" | "retriever" | "embedder" | "indexer" | "loader" | "transformer";

interface ComponentShape {
  readonly invoke: string;
  readonly stream?: string;
  readonly payload?: Payload;
}

const modelPayload: Payload = {
  input: (messages, options) => ({ messages, options }),
  output: (message) => ({ message }),
};

/** The methods of each kind of component. */
const shapes: Readonly<Record<ComponentName, ComponentShape>> = {
  model: { invoke: "generate", stream: "stream", payload: modelPayload },
  template: { invoke: "format" },
  retriever: { invoke: "retrieve" },
  embedder: { invoke: "embed" },
  indexer: { invoke: "store" },
  loader: { invoke: "load" },
  transformer: { invoke: "transform" },
};

function isComponentName(kind: unknown): kind is ComponentName {
  return typeof kind === "string" && Object.hasOwn(shapes, kind);
}

function fromComponent(key: string, node: object, component: ComponentName): NodeDefinition {
  const { invoke, stream = "", payload } = shapes[component];
  const [whole, chunks] = [invoke, stream].map((name) => (hasMethod(node, name) ? callMethod(node, name) : undefined));
  if (!(whole ?? chunks)) throw invalidNode(key, `is a ${component} without the method ${invoke}. Implement it.`);
  const type: unknown = Reflect.get(node, "type");
  const body: NodeBody = { kind: "modes", payload, invoke: whole, stream: chunks };
  return { component, type: typeof type === "string" ? type : "", body };
}

const modes = ["invoke", "stream", "collect", "transform"] as const;

/** A Runnable from elsewhere: it runs as a child of its node. */
function fromForeignRunnable(node: object): NodeDefinition {
  const [invoke, stream, collect, transform] = modes.map((mode) => {
    const call = callMethod(node, mode);
    return (input: never, ctx: NodeContext): unknown => call(input, childOptions(ctx) as never);
  });
  return { component: "lambda", type: "", body: { kind: "modes", invoke, stream, collect, transform } };
}

/** Passes the signal too, because it may not support `parent`. The signal is created when it is read. */
function childOptions(ctx: NodeContext): RunOptions {
  return {
    parent: ctx,
    get signal() {
      return ctx.signal;
    },
  };
}

function hasMethod(node: object, name: string): boolean {
  return typeof Reflect.get(node, name) === "function";
}

/** Looks the method up at each call, so that `this` is right and a method may be replaced. */
function callMethod(node: object, name: string): NodeFunction {
  return (input, ctx) => (node as Readonly<Record<string, NodeFunction>>)[name]?.(input, ctx);
}
