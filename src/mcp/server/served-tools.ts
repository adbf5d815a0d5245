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

/** A tool with its name and schemas for clients. */
export interface ServedTool {
  readonly name: string;
  readonly tool: Tool<never>;
  readonly kind: "tool" | "agent" | "workflow" | "graph";
  readonly outputSchema: JsonSchema | undefined;
  /** The entry of `tools/list`. */
  readonly listed: Fields;
}

/** The outputs of tools before they are formatted for a model, by the id of the call. */
export type RawOutputs = Map<string, unknown>;

/** The tools of a server. Those in `tools` win over those made from agents, workflows and graphs. */
export function servedTools(
  options: MCPServerOptions,
  logger: MCPServerLogger,
  raw: RawOutputs,
): ReadonlyMap<string, ServedTool> {
  const served = new Map<string, ServedTool>();
  for (const [name, tool] of namedTools(options.tools ?? [])) {
    if (served.has(name)) throw invalidMcpOption(`An MCPServer has two tools with the name "${name}".`);
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
    else
      logger.warn(
        `The ${kind} "${key}" is not served, because there is already a ${other.kind} with the tool name "${name}".`,
      );
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
    tool: outputSchema === undefined ? tool : recordingTool(tool, raw),
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

/** Adds the `type: "object"` that clients require: unions do not have it. */
function objectSchema(schema: JsonSchema): JsonSchema {
  return "type" in schema ? schema : { type: "object", ...schema };
}

/** The output schema for clients. The SDK wraps other outputs in an object for clients of older revisions. */
function outputSchemaOf(tool: object): JsonSchema | undefined {
  const given: unknown = Reflect.get(tool, "outputSchema");
  if (given === undefined || given === null) return undefined;
  const schema = toJsonSchema(given as AnyStandardSchema | JsonSchema, { side: "output" });
  if (Object.keys(schema).every((key) => key === "$schema")) return undefined; // accepts everything, so it is of no use
  return !("type" in schema) && acceptsOnlyObjects(schema) ? { type: "object", ...schema } : schema;
}

/** Whether the schema clearly accepts objects only. */
function acceptsOnlyObjects(schema: unknown): boolean {
  if (!isFields(schema)) return false;
  const { type, properties, anyOf, oneOf, allOf } = schema;
  if (type !== undefined) return type === "object";
  if (Array.isArray(allOf) && allOf.some(acceptsOnlyObjects)) return true;
  const choices: unknown = anyOf ?? oneOf;
  return Array.isArray(choices) ? choices.every(acceptsOnlyObjects) : properties !== undefined;
}

function mcpOf(tool: object): McpToolProperties | undefined {
  const given: unknown = Reflect.get(tool, "mcp");
  return isFields(given) ? given : undefined;
}

function titleOf(tool: object): string | undefined {
  const metadata: unknown = Reflect.get(tool, "metadata");
  return isFields(metadata) && typeof metadata.title === "string" ? metadata.title : undefined;
}

/** The same tool, but it records its raw output: clients get the value, where a model would get text. */
function recordingTool(tool: Tool<never>, raw: RawOutputs): Tool<never> {
  const stages = stagesOf(tool, tool.info);
  const { hooks } = stages;
  const onOutput = (call: { readonly output: unknown; readonly toolCallId: string }): unknown => {
    if (raw.has(call.toolCallId)) raw.set(call.toolCallId, call.output);
    return hooks?.onOutput?.(call as never);
  };
  const recordingStages = Object.create(stages, { hooks: { value: { ...hooks, onOutput }, enumerable: true } });
  return Object.create(tool, { [toolStages]: { value: recordingStages } });
}
