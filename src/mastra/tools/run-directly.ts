import { RequestContext } from "../../components/request-context.js";
import { type Fields, isFields } from "../../is.js";
import { toJsonSchema } from "../../schema/json-schema/convert.js";
import { jsonSchemaValidator } from "../../schema/json-schema-validator.js";
import type { StandardIssue } from "../../schema/standard-schema.js";
import { type Checked, schemaCheck } from "../../schema/validation/schema-check.js";
import { issueText } from "../../wording.js";
import type { AnyMastra } from "../any-mastra.js";
import { invalidMastraOption } from "../errors.js";
import type { StepWriter } from "../workflow/step.js";
import type { MastraToolContext } from "./tool-context.js";

/** The result of a direct call with invalid input or output. */
export interface ToolValidationError {
  readonly error: true;
  readonly message: string;
  readonly validationErrors: readonly StandardIssue[];
}

interface DirectTool {
  readonly id: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

/**
 * Runs a tool without a tools node. Validates input and output, and returns validation errors as the result. The older form of
 * the input, with everything in one object, is recognized by its `context`.
 */
export function runDirectly(
  { id, inputSchema, outputSchema }: DirectTool,
  run: (input: unknown, ctx: MastraToolContext) => unknown,
  mastra: () => AnyMastra,
): (input: unknown, ctx?: object) => Promise<unknown> {
  const checkInput = checkOf(inputSchema, "inputSchema");
  const checkOutput = checkOf(outputSchema, "outputSchema");
  return async (given, ctx) => {
    let fields = ctx as Fields | undefined;
    let checked: Checked = checkInput === undefined ? { value: given } : await checkInput(given);
    if (isFields(given) && "context" in given && (checked.issues !== undefined || checkInput === undefined)) {
      const { context, ...others } = given;
      const legacy: Checked = checkInput === undefined ? { value: context } : await checkInput(context);
      if (legacy.issues === undefined) {
        checked = legacy;
        fields = { ...others, ...ctx };
      }
    }
    if (checked.issues !== undefined) return validationError(`Tool input validation failed for ${id}`, checked.issues);
    const output = await run(checked.value, directContext(id, fields ?? {}, mastra));
    if (checkOutput === undefined) return output;
    const result = await checkOutput(output);
    return result.issues === undefined
      ? output
      : validationError(`Tool output validation failed for ${id}`, result.issues);
  };
}

type Check = (value: unknown) => Checked | Promise<Checked>;

function checkOf(schema: unknown, name: string): Check | undefined {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const checker = { validator: jsonSchemaValidator };
  const made = schemaCheck(schema, () => toJsonSchema(schema as never), name);
  return (value) => made.check(value, checker);
}

function validationError(what: string, issues: readonly StandardIssue[]): ToolValidationError {
  return { error: true, message: `${what}. ${issues.map(issueText).join("; ")}`, validationErrors: issues };
}

/** The context of a direct call: the given fields, and defaults for the rest. */
function directContext(id: string, given: Fields, mastra: () => AnyMastra): MastraToolContext {
  const requestContext = given.requestContext ?? given.runtimeContext ?? new RequestContext();
  const suspend = async (): Promise<never> => {
    throw invalidMastraOption(
      `Tool "${id}" called suspend() in a direct call, which cannot be resumed. Run the tool in an agent or a workflow.`,
    );
  };
  const defaults = {
    toolName: id,
    toolCallId: "",
    messages: [],
    resumeData: undefined,
    suspend,
    mastra: mastra(),
    writer,
    tracingContext: {},
    progress: noProgress,
  };
  const names = { requestContext, runtimeContext: requestContext };
  return Object.assign(new OwnSignal(), defaults, given, names) as never;
}

/** A signal under both names. Without a given one it is made when it is read, which few tools do: it would cost most of a call. */
class OwnSignal {
  #signal: unknown;

  get signal(): unknown {
    this.#signal ??= new AbortController().signal;
    return this.#signal;
  }

  set signal(given: unknown) {
    this.#signal = given;
  }

  get abortSignal(): unknown {
    return this.signal;
  }

  set abortSignal(given: unknown) {
    this.#signal = given;
  }
}

const noWrite = async (): Promise<void> => undefined;
const writer: StepWriter = Object.freeze({ write: noWrite, custom: noWrite });
const noProgress = (): void => undefined;
