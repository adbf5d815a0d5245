import type { ApprovalRule, ToolContext } from "../../components/tool.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
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
import { requestFormat } from "./request-schema.js";
import type { StatusDetails } from "./status-details.js";
import { writeJson } from "./write-json.js";

/** A tool that calls one method of a gRPC service; its `metadata` is a {@link GrpcMethod}. */
export type GrpcTool = CreatedTool<JsonSchema, JsonSchema>;

/** What all tools of a server share. */
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

/** What a method promises, in the words of MCP. */
function hintsOf({ idempotency }: GrpcMethod): McpToolProperties | undefined {
  if (idempotency === undefined) return undefined;
  return { annotations: { readOnlyHint: idempotency === "no_side_effects", idempotentHint: true } };
}
