import { RequestContext } from "../../components/request-context.js";
import { kindOf } from "../../wording.js";
import { type AnyClassCodec, classNameOf } from "./class-codec.js";

/** Why a value cannot be saved, and what to do about it. */
export type WhyNotSaved = readonly [what: string, advice: string];

export const functionIsNotSaved: WhyNotSaved = ["it is a function", "Leave it out: only data can be saved."];

export const symbolIsNotSaved: WhyNotSaved = ["it is a symbol", "Leave it out: only data can be saved."];

export const symbolKeyIsNotSaved: WhyNotSaved = ["its key is a symbol", "Use a string as the key."];

export const bigintIsTooLong: WhyNotSaved = ["it is a bigint of more than 262,144 bits", "Save it as bytes."];

export const patternIsTooLong: WhyNotSaved = [
  "it is a regular expression of more than 32,768 characters",
  "Save its parts instead.",
];

export const tooDeep = (levels: number): WhyNotSaved => [
  `it is nested more than ${levels} levels deep`,
  "Keep ids in place of objects that lead to further objects.",
];

export const encodesToItself = (name: string): WhyNotSaved => [
  `encode of the codec "${name}" returned the instance itself`,
  "Return a plain object with its data.",
];

export function whyInstanceIsNotSaved(value: object, codecs: ReadonlyMap<object, AnyClassCodec>): WhyNotSaved {
  if (value instanceof RequestContext) {
    return ["it is the request context, which is never saved", "Leave it out, and pass it again on resume."];
  }
  if (value instanceof Promise) return ["it is a promise", "Await it first."];
  if (Symbol.asyncIterator in value || value instanceof ReadableStream) {
    return ["it is a stream", "Read it first, and keep its chunks or the joined value."];
  }
  const parent = registeredParentOf(value, codecs);
  const hint =
    parent === undefined ? "" : ` (the codec "${parent.name}" is for its parent ${classNameOf(parent.type)})`;
  return [
    `it is ${kindOf(value)}, and no codec is registered for that class${hint}`,
    "Register one with new Runtime({ codecs: [{ name, type, encode, decode }] }) and give the runtime to compile(), or keep plain data.",
  ];
}

function registeredParentOf(value: object, codecs: ReadonlyMap<object, AnyClassCodec>): AnyClassCodec | undefined {
  let prototype: object | null = Object.getPrototypeOf(value);
  while (prototype !== null) {
    const codec = codecs.get(prototype);
    if (codec !== undefined) return codec;
    prototype = Object.getPrototypeOf(prototype);
  }
  return undefined;
}
