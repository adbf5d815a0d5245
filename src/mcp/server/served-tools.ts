import type { Tool } from "../../components/tool.js";
import { type Fields, isFields } from "../../is.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import { stagesOf } from "../../tools/define/contract-stages.js";
import type { McpToolProperties } from "../../tools/define/create-tool.js";
import { toolStages } from "../../tools/define/tool-stages.js";
import { adaptTool } from "../../tools/formats/adapt-tool.js";
import { isToolArray } from "../../tools/node/tool-list.js";
import { invalidMcpOption } from "../errors.js";
import { askAgentTool, runGraphTool, runWorkflowTool } from "./derived-tools.js";
import type { MCPServerLogger, MCPServerOptions } from "./options.js";

/** A tool as clients see it, and as it runs. */
export interface ServedTool {
  readonly name: string;
  readonly tool: Tool<never>;
  readonly kind: "tool" | "agent" | "workflow" | "graph";
  readonly outputSchema: JsonSchema | undefined;
  /** The entry of `tools/list`. */
  readonly listed: Fields;
}

/** What a tool gave, before it was made into what a model reads, by the id of its call. */
export type RawOutputs = Map<string, unknown>;

/** Explicit tools first: they win over those that are made of agents, workflows and graphs. */
export function servedTools(
  options: MCPServerOptions,
  logger: MCPServerLogger,
  raw: RawOutputs,
): ReadonlyMap<string, ServedTool> {
  const served = new Map<string, ServedTool>();
  for (const [name, tool] of namedTools(options.tools ?? [])) {
    if (served.has(name)) throw invalidMcpOption(`An MCPServer has two tools that are called "${name}".`);
    served.set(name, serve(name, tool, "tool", raw));
  }
  const derived = [
    ...Object.entries(options.agents ?? {}).map(([key, agent]) => ["agent", key, askAgentTool(key, agent)] as const),
    ...Object.entries(options.workflows ?? {}).map(
      ([key, flow]) => ["workflow", key, runWorkflowTool(key, flow)] as const,
    ),
    ...Object.entries(options.graphs ?? {}).map(([key, graph]) => ["graph", key, runGraphTool(key, graph)] as const),
  ];
  for (const [kind, key, tool] of derived) {
    const { name } = tool.info;
    const other = served.get(name);
    if (other === undefined) served.set(name, serve(name, tool, kind, raw));
    else logger.warn(`The ${kind} "${key}" is not served: there is a ${other.kind} that is called "${name}" already.`);
  }
  return served;
}

function namedTools(tools: NonNullable<MCPServerOptions["tools"]>): [string, Tool<never>][] {
  const given: [string | undefined, AnyTool, string][] = isToolArray(tools)
    ? tools.map((tool, index) => [undefined, tool, `tools[${index}]`])
    : Object.entries(tools).map(([key, tool]) => [key, tool, `tools["${key}"]`]);
  return given.map(([key, tool, where]) => {
    const adapted = adaptTool(tool, key, where);
    if (adapted === undefined) throw invalidMcpOption(`${where} of an MCPServer is not a tool.`);
    const name = key ?? adapted.info.name;
    if (name === "") throw invalidMcpOption(`${where} of an MCPServer has no name.`);
    return [name, adapted];
  });
}

function serve(name: string, tool: Tool<never>, kind: ServedTool["kind"], raw: RawOutputs): ServedTool {
  const outputSchema = outputSchemaOf(tool);
  const { info } = tool;
  const { annotations, _meta } = mcpOf(tool) ?? {};
  const title = titleOf(tool);
  return {
    name,
    kind,
    tool: outputSchema === undefined ? tool : noting(tool, raw),
    outputSchema,
    listed: {
      name,
      ...(title !== undefined && { title }),
      description: info.description,
      inputSchema: objectSchema(info.toJsonSchema() ?? { type: "object" }),
      ...(outputSchema !== undefined && { outputSchema }),
      ...(annotations !== undefined && { annotations }),
      ...(_meta !== undefined && { _meta }),
    },
  };
}

/** Clients want an object at the top, and a union does not say that it is one. */
function objectSchema(schema: JsonSchema): JsonSchema {
  return "type" in schema ? schema : { type: "object", ...schema };
}

/** For clients of older revisions, which know objects only, the SDK puts any other output into one. */
function outputSchemaOf(tool: object): JsonSchema | undefined {
  const given: unknown = Reflect.get(tool, "outputSchema");
  if (given === undefined || given === null) return undefined;
  const schema = toJsonSchema(given as AnyStandardSchema | JsonSchema, { side: "output" });
  if (Object.keys(schema).every((key) => key === "$schema")) return undefined; // fits everything, so it says nothing
  return !("type" in schema) && isOfObjects(schema) ? { type: "object", ...schema } : schema;
}

/** Whether only objects fit, as far as the schema shows. */
function isOfObjects(schema: unknown): boolean {
  if (!isFields(schema)) return false;
  const { type, properties, anyOf, oneOf, allOf } = schema;
  if (type !== undefined) return type === "object";
  if (Array.isArray(allOf) && allOf.some(isOfObjects)) return true;
  const choices: unknown = anyOf ?? oneOf;
  return Array.isArray(choices) ? choices.every(isOfObjects) : properties !== undefined;
}

function mcpOf(tool: object): McpToolProperties | undefined {
  const given: unknown = Reflect.get(tool, "mcp");
  return isFields(given) ? given : undefined;
}

function titleOf(tool: object): string | undefined {
  const metadata: unknown = Reflect.get(tool, "metadata");
  return isFields(metadata) && typeof metadata.title === "string" ? metadata.title : undefined;
}

/** The same tool, which notes its output: a model reads a text of it, a client wants the value. */
function noting(tool: Tool<never>, raw: RawOutputs): Tool<never> {
  const stages = stagesOf(tool, tool.info);
  const { hooks } = stages;
  const onOutput = (call: { readonly output: unknown; readonly toolCallId: string }): unknown => {
    if (raw.has(call.toolCallId)) raw.set(call.toolCallId, call.output);
    return hooks?.onOutput?.(call as never);
  };
  const noted = Object.create(stages, { hooks: { value: { ...hooks, onOutput }, enumerable: true } });
  return Object.create(tool, { [toolStages]: { value: noted } });
}
