import type { ToolContext } from "../../components/tool.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";

/** Runs a client tool: stops the run with a question, which the client answers with the result. */
export function askClient(
  input: unknown,
  { toolName, toolCallId, ask }: ToolContext,
  outputSchema: AnyStandardSchema | JsonSchema | undefined,
): Promise<unknown> {
  const info = { kind: "client_tool", toolName, toolCallId, input };
  return outputSchema === undefined ? ask("client_tool", info) : ask("client_tool", info, outputSchema as JsonSchema);
}
