import { isFields } from "../../is.js";
import type { JsonSchema, StandardResult } from "../../schema/standard-schema.js";
import { messageSchema } from "./message-schema.js";
import type { Protobuf, Type } from "./protobuf.js";
import { messageFromJson, type ReadMessage } from "./read-json.js";
import { wellKnown } from "./well-known.js";

/** What a method takes: how models see it, and how their arguments become a message. */
export interface RequestFormat {
  /** A JSON Schema, which checks arguments by the rules of protobuf. */
  readonly schema: JsonSchema;
  /** `rounded`: large numbers may have lost digits. */
  read(input: unknown, rounded: boolean): ReadMessage;
}

/** The fields of the message are the arguments; a message that is not an object in JSON is the argument `value`. */
export function requestFormat(kit: Protobuf, type: Type): RequestFormat {
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
