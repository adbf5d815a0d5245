import type { NeedsApproval, Tool } from "../components/tool.js";
import type { AnyStandardSchema, JsonSchema, SchemaOutput } from "../schema/standard-schema.js";
import { type ExecuteInput, makeTool } from "../tools/define/create-tool.js";
import type { Runnable } from "./runnable.js";

export interface AsToolOptions<Schema> {
  /** The name by which the model calls it. */
  readonly id: string;
  /** What the model reads to decide when to call it. */
  readonly description: string;
  /** What the Runnable takes. */
  readonly inputSchema: Schema;
  /** Whether somebody must agree before a call runs: always, or where a function of the input says so. @default false */
  readonly requireApproval?: NeedsApproval<ExecuteInput<Schema>> | undefined;
  /** Another name of `requireApproval`. */
  readonly needsApproval?: NeedsApproval<ExecuteInput<Schema>> | undefined;
}

/**
 * Makes a tool of a Runnable, a whole graph for instance: each call is a child run of the tool call, with its signal, its
 * handlers and its request context. In a tools node that streams, the Runnable streams too; otherwise it is invoked.
 *
 * @example
 * const count = lambda({ invoke: ({ text }: { text: string }) => text.length });
 * const tool = asTool(count, {
 *   id: "count_letters",
 *   description: "Counts the letters of a text.",
 *   inputSchema: z.object({ text: z.string() }),
 * });
 */
export function asTool<Schema extends AnyStandardSchema>(
  runnable: Runnable<SchemaOutput<Schema>, unknown>,
  options: AsToolOptions<Schema>,
): Tool;
export function asTool(runnable: Runnable<Record<string, unknown>, unknown>, options: AsToolOptions<JsonSchema>): Tool;
export function asTool(runnable: Runnable<never, unknown>, options: ErasedOptions): Tool {
  const { id, description, inputSchema, requireApproval, needsApproval } = options;
  return makeTool(
    {
      id,
      description,
      inputSchema,
      // the input is what the schema says
      requireApproval: requireApproval as NeedsApproval<unknown> | undefined,
      needsApproval: needsApproval as NeedsApproval<unknown> | undefined,
      execute: (input, ctx) => runnable.invoke(input as never, { parent: ctx }),
    },
    (input, ctx) => runnable.stream(input, { parent: ctx }),
  );
}

interface ErasedOptions
  extends Omit<AsToolOptions<AnyStandardSchema | JsonSchema>, "requireApproval" | "needsApproval"> {
  readonly requireApproval?: NeedsApproval | undefined;
  readonly needsApproval?: NeedsApproval | undefined;
}
