import type { MastraTool } from "kumiko/components";
import type { z } from "zod";

interface MastraOptions<Schema extends z.ZodType> {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: z.ZodType;
  readonly requireApproval?: boolean;
  readonly toModelOutput?: (output: never) => unknown;
  readonly title?: string;
  readonly mcp?: object;
  readonly requestContextSchema?: z.ZodType;
  readonly onInputStart?: (call: never) => unknown;
  readonly onInputDelta?: (call: never) => unknown;
  readonly onInputAvailable?: (call: never) => unknown;
  readonly onOutput?: (call: never) => unknown;
  readonly execute: (input: z.output<Schema>, context: Record<string, unknown>) => unknown;
}

/**
 * A tool in the shape that `createTool` of @mastra/core 1.71 makes (which needs a newer Node.js than this package): marked,
 * with an `execute` that checks input (of the first execution) and output itself, moves the fields of a model's call under `agent`, and gives back
 * what does not fit.
 */
export function mastraTool<Schema extends z.ZodType>(options: MastraOptions<Schema>): MastraTool {
  const { inputSchema, outputSchema } = options;
  const execute = async (given: unknown, context: Record<string, unknown>): Promise<unknown> => {
    const { toolCallId, messages, suspend, resumeData, ...rest } = context;
    const isResumed = resumeData !== undefined && resumeData !== null;
    const input = isResumed ? { success: true, data: given as z.output<Schema> } : inputSchema.safeParse(given);
    if (!input.success || input.data === undefined) return refusal(`Tool input validation failed for ${options.id}.`);
    const agent = { agentId: "", toolCallId, messages, suspend, resumeData };
    const output = await options.execute(input.data, { ...rest, agent });
    const checked = outputSchema?.safeParse(output);
    if (checked?.success === false) return refusal(`Tool output validation failed for ${options.id}.`);
    return checked === undefined ? output : checked.data;
  };
  const tool = { requireApproval: false, mastra: undefined, ...options, execute };
  return { ...tool, [Symbol.for("mastra.core.tool.Tool")]: true } as MastraTool;
}

const refusal = (message: string) => ({ error: true, message, validationErrors: { errors: [], fields: {} } });
