import type { Tool } from "../../components/tool.js";
import type { ToolInfoFields } from "../../schema/tool-info.js";
import type { ForeignTool } from "../formats/foreign-tool.js";

/**
 * Everything that a tools node accepts as a tool: tools of this package, plain objects, and the tools of AI SDK, Mastra,
 * TanStack AI and Eino as they are.
 */
export type AnyTool = Tool<never> | HandwrittenTool | ForeignTool;

/** A {@link Tool} whose `info` is a plain object: its parameters may be a plain JSON Schema. */
export interface HandwrittenTool extends Omit<Tool<never>, "info"> {
  /** The part that the model reads: name, description and parameters. */
  readonly info: ToolInfoFields;
}
