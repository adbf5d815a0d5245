import { checkOptions } from "../check-options.js";
import type { ApprovalRule, Tool } from "../components/tool.js";
import type { AnyStandardSchema, JsonSchema, OnlySchema, SchemaOutput } from "../schema/standard-schema.js";
import { type ExecuteInput, makeTool } from "../tools/define/create-tool.js";
import type { Runnable } from "./runnable.js";

/** Options of {@link asTool}. */
export interface AsToolOptions<Schema> {
  /** The name by which the model calls the tool. */
  readonly id: string;
  /** The description by which the model decides when to call it. */
  readonly description: string;
  /** The schema of the arguments, whose output is the input of the Runnable. */
  readonly inputSchema: Schema;
  /** Whether a call needs approval before it runs: `true`, `false`, or a function of the input. @default false */
  readonly requireApproval?: ApprovalRule<ExecuteInput<Schema>> | undefined;
}

/**
 * Makes a tool from a Runnable, such as a graph. Each call is a child run of the tool call, with its signal, handlers and request
 * context. In a tools node that streams, the Runnable streams too; otherwise it is invoked.
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
export function asTool<Schema extends JsonSchema>(
  runnable: Runnable<Record<string, unknown>, unknown>,
  options: AsToolOptions<Schema> & { readonly inputSchema: OnlySchema<Schema> },
): Tool;
export function asTool(runnable: Runnable<never, unknown>, options: ErasedOptions): Tool {
  checkOptions("asTool", options, ["id", "description", "inputSchema", "requireApproval"]);
  const { id, description, inputSchema, requireApproval } = options;
  return makeTool(
    {
      id,
      description,
      inputSchema,
      // the input has the type of the schema's output
      requireApproval: requireApproval as ApprovalRule<unknown> | undefined,
      execute: (input, ctx) => runnable.invoke(input as never, { parent: ctx }),
    },
    (input, ctx) => runnable.stream(input, { parent: ctx }),
  );
}

interface ErasedOptions extends Omit<AsToolOptions<AnyStandardSchema | JsonSchema>, "requireApproval"> {
  readonly requireApproval?: ApprovalRule | undefined;
}
