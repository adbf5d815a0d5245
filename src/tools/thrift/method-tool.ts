import type { JsonSchema } from "../../schema/standard-schema.js";
import { approvalFor } from "../define/approval-option.js";
import { type CreatedTool, createTool } from "../define/create-tool.js";
import { exactOutput, withExactIntegers } from "../openapi/exact-json.js";
import type { ThriftConnection } from "./connection.js";
import type { MethodDefinition } from "./definition.js";
import { answerDamaged, thriftAnswerUnreadable } from "./errors.js";
import { argumentsSchema, resultSchema } from "./json-schema.js";
import type { MessageCodec, Reply } from "./message.js";
import type { ThriftMethod, ThriftToolsOptions } from "./options.js";

/** A tool that calls one method of a Thrift service; its `metadata` is a {@link ThriftMethod}. */
export type ThriftTool = CreatedTool<JsonSchema, JsonSchema | undefined>;

export interface Caller {
  readonly connection: ThriftConnection;
  readonly codec: MessageCodec;
  /** The number of the next call. */
  readonly nextId: () => number;
}

export function thriftMethodTool(
  name: string,
  metadata: ThriftMethod,
  method: MethodDefinition,
  { connection, codec, nextId }: Caller,
  options: ThriftToolsOptions,
): ThriftTool {
  const { isOneway } = method;
  const label = `${metadata.service}.${metadata.method}`;
  return createTool<JsonSchema, JsonSchema | undefined>({
    id: name,
    description: method.description ?? "",
    inputSchema: argumentsSchema(method.parameters),
    outputSchema: resultSchema(method.result),
    requireApproval: approvalFor(options, name, metadata),
    timeoutMs: options.timeoutMs,
    metadata: { ...metadata },
    execute: async (input, ctx) => {
      const exactInput = withExactIntegers(input, ctx.rawArguments ?? "") as Record<string, unknown>;
      const id = nextId();
      const message = codec.write(method, exactInput, id);
      let reply: Reply | undefined;
      const isWhole = (bytes: Uint8Array): boolean => {
        reply = codec.read(method, bytes, id);
        return reply !== undefined;
      };
      const answer = await connection.exchange(message, { method: label, isOneway, ctx, isWhole });
      if (isOneway) return undefined;
      try {
        if (reply === undefined && !isWhole(answer)) throw answerDamaged("it ends too early");
      } catch (error) {
        throw thriftAnswerUnreadable(label, connection.address, error);
      }
      if (reply?.isError) throw reply.error;
      return reply?.value;
    },
    toModelOutput: ({ output }) => exactOutput(output),
  });
}
