import type { ApprovalRule, ToolContext } from "../../components/tool.js";
import { isFields } from "../../is.js";
import type { JsonSchema, StandardResult } from "../../schema/standard-schema.js";
import { issueText } from "../../wording.js";
import { approvalFor } from "../define/approval-option.js";
import { type CreatedTool, type McpToolProperties, makeTool } from "../define/create-tool.js";
import { ListItem } from "../define/tool-output.js";
import { withExactIntegers } from "../openapi/exact-json.js";
import { GrpcAnswerStream } from "./answer-stream.js";
import { callMetadata } from "./call-metadata.js";
import { callUnary, type GrpcCall } from "./call-server.js";
import { grpcAnswerUnreadable, requestUnusable } from "./errors.js";
import { commentOf } from "./fields.js";
import type { Connection, GrpcJs } from "./grpc-js.js";
import { messageSchema } from "./message-schema.js";
import type { GrpcMethod, GrpcToolsOptions } from "./options.js";
import { type Method, type Protobuf, type Type, typeNameOf } from "./protobuf.js";
import { messageFromJson, type ReadMessage } from "./read-json.js";
import type { StatusDetails } from "./status-details.js";
import { wellKnown } from "./well-known.js";
import { writeJson } from "./write-json.js";

/** A tool that calls one method of a gRPC service; its `metadata` is a {@link GrpcMethod}. */
export type GrpcTool = CreatedTool<JsonSchema, JsonSchema>;

/** The parts that all tools of a server share. */
export interface ToolSurroundings {
  readonly grpc: GrpcJs;
  readonly kit: Protobuf;
  readonly connection: Connection;
  readonly details: StatusDetails;
  readonly options: GrpcToolsOptions;
}

/** One method, and the types of its messages. */
export interface MethodPlace {
  readonly about: GrpcMethod;
  readonly method: Method;
  readonly request: Type;
  readonly answer: Type;
}

/** The tool of one method: of a stream of answers, one whose chunks are these. */
export function grpcMethodTool(name: string, place: MethodPlace, surroundings: ToolSurroundings): GrpcTool {
  const { about, method, request, answer } = place;
  const { kit, options } = surroundings;
  const { timeoutMs, omitDefaults = false } = options;
  const format = requestFormat(kit, request);
  const answerSchema = messageSchema(answer, { side: "answer", omitDefaults });
  const read = (bytes: Uint8Array): unknown => readAnswer(kit, place, bytes, omitDefaults);
  const open = async (input: unknown, ctx: ToolContext): Promise<GrpcCall> => {
    const bytes = requestBytes(place, format.read(withExactIntegers(input, ctx.rawArguments ?? ""), false));
    const metadata = await callMetadata(surroundings.grpc, options.metadata, ctx, about);
    const { connection, details } = surroundings;
    return { connection, path: about.path, request: bytes, metadata, signal: ctx.signal, timeoutMs, details };
  };
  const stream = (input: unknown, ctx: ToolContext, wrap: (message: unknown) => unknown): GrpcAnswerStream =>
    new GrpcAnswerStream({ open: () => open(input, ctx), read, wrap });
  const definition = {
    id: name,
    description: commentOf(method) ?? `Calls ${about.method} of the gRPC service ${about.service}.`,
    inputSchema: format.schema,
    outputSchema: about.isStreaming ? listOf(answerSchema) : answerSchema,
    // the input is an object, as the schema says
    requireApproval: approvalFor(options, name, about) as ApprovalRule<unknown> | undefined,
    timeoutMs,
    metadata: { ...about },
    mcp: hintsOf(about),
  };
  const tool = about.isStreaming
    ? makeTool(
        {
          ...definition,
          concat: (messages: never[]) => messages,
          execute: (input: unknown, ctx: unknown) => stream(input, ctx as ToolContext, (message) => message),
        },
        // in a node that streams, each message goes out as it comes
        (input: never, ctx: never) => stream(input, ctx, (message) => new ListItem(message)),
      )
    : makeTool({
        ...definition,
        execute: async (input: unknown, ctx: unknown) => read(await callUnary(await open(input, ctx as ToolContext))),
      });
  return tool as GrpcTool;
}

function requestBytes(
  { about, request }: MethodPlace,
  read: ReturnType<ReturnType<typeof requestFormat>["read"]>,
): Uint8Array {
  if (read.issues !== undefined) throw requestUnusable(about.path, `${read.issues.map(issueText).join("; ")}.`);
  return request.encode(read.message).finish();
}

function readAnswer(kit: Protobuf, { about, answer }: MethodPlace, bytes: Uint8Array, omitDefaults: boolean): unknown {
  try {
    return writeJson(kit, answer, answer.decode(bytes), { omitDefaults });
  } catch (cause) {
    throw grpcAnswerUnreadable(about.path, typeNameOf(answer), cause);
  }
}

/** A list of messages. What stands under `$defs` stays at the top, where references look for it. */
function listOf({ $defs, ...items }: JsonSchema): JsonSchema {
  return { type: "array", items, ...($defs !== undefined && { $defs }) };
}

/** The promises of a method as MCP annotations. */
function hintsOf({ idempotency }: GrpcMethod): McpToolProperties | undefined {
  if (idempotency === undefined) return undefined;
  return { annotations: { readOnlyHint: idempotency === "no_side_effects", idempotentHint: true } };
}

/** The input of a method: its schema for models, and how their arguments become a message. */
interface RequestFormat {
  /** A JSON Schema, which checks arguments by the rules of protobuf. */
  readonly schema: JsonSchema;
  /** `rounded`: large numbers may have lost digits. */
  read(input: unknown, rounded: boolean): ReadMessage;
}

/** The fields of the message are the arguments; a message that is not an object in JSON is the argument `value`. */
function requestFormat(kit: Protobuf, type: Type): RequestFormat {
  const isWrapped = wellKnown(type)?.isObject === false;
  const plain = messageSchema(type, { side: "request", omitDefaults: false });
  const schema = isWrapped ? wrapped(plain) : plain;
  const read = (input: unknown, rounded: boolean): ReadMessage =>
    isWrapped ? readWrapped(kit, type, input, rounded) : messageFromJson(kit, type, input, rounded);
  const validate = (input: unknown): StandardResult<unknown> => {
    // the largest 64-bit integers, when they were written as numbers: the call reads them again, exactly
    const { issues } = read(input, true);
    return issues === undefined ? { value: input } : { issues };
  };
  const standard = {
    version: 1,
    vendor: "kumiko",
    validate,
    jsonSchema: { input: () => schema, output: () => schema },
  };
  return { schema: Object.defineProperty({ ...schema }, "~standard", { value: standard }), read };
}

function wrapped({ $defs, ...value }: JsonSchema): JsonSchema {
  const schema = { type: "object", properties: { value }, required: ["value"], additionalProperties: false };
  return $defs === undefined ? schema : { ...schema, $defs };
}

function readWrapped(kit: Protobuf, type: Type, input: unknown, rounded: boolean): ReadMessage {
  if (!isFields(input) || !Object.hasOwn(input, "value")) return issue("required, but missing", "value");
  const other = Object.keys(input).find((key) => key !== "value");
  if (other !== undefined) return issue('unknown field: there is only "value"', other);
  const result = messageFromJson(kit, type, input.value, rounded);
  if (result.issues === undefined) return result;
  return { issues: result.issues.map(({ message, path = [] }) => ({ message, path: ["value", ...path] })) };
}

const issue = (message: string, key: string): ReadMessage => ({ issues: [{ message, path: [key] }] });
