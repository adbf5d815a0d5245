import { isFields, textIf } from "../../is.js";
import { fromBase64 } from "../../schema/base64.js";
import type { BodyPlan } from "./body.js";
import { fieldsOf } from "./document.js";
import { formWithoutFields, notBase64 } from "./errors.js";
import { stringifyExactly } from "./exact-json.js";
import { queryPairs } from "./serialize.js";

export type EncodedBody = string | FormData | Uint8Array<ArrayBuffer>;

/** Encodes the argument `body`. */
export function encodeBody(plan: BodyPlan, value: unknown): EncodedBody {
  switch (plan.kind) {
    case "json":
      return stringifyExactly(value);
    case "text":
      return asText(value);
    case "binary":
      return bytesOf("body", value);
    case "form":
      return isFields(value) ? new URLSearchParams(pairsOf(plan, value)).toString() : asText(value);
    case "multipart":
      if (!isFields(value)) throw formWithoutFields(value);
      return multipart(plan, value);
    default:
      return plan.kind satisfies never;
  }
}

function multipart(plan: BodyPlan, value: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, field] of Object.entries(value)) {
    const mediaType = textIf(fieldsOf(plan.encoding[name]).contentType)?.split(",", 1)[0]?.trim() ?? "";
    const type = mediaType.includes("*") ? "" : mediaType;
    if (plan.files.has(name)) {
      for (const file of Array.isArray(field) ? field : [field]) form.append(name, blobOf(name, file, type), name);
    } else if (/[/+]json\b/.test(type)) form.append(name, new Blob([stringifyExactly(field)], { type }));
    else for (const pair of pairsOf(plan, { [name]: field })) form.append(...pair);
  }
  return form;
}

function blobOf(name: string, value: unknown, type: string): Blob {
  return new Blob([bytesOf(name, value)], { type: type || "application/octet-stream" });
}

function bytesOf(name: string, value: unknown): Uint8Array<ArrayBuffer> {
  const bytes = typeof value === "string" ? fromBase64(value) : undefined;
  if (bytes === undefined) throw notBase64(name, value);
  return bytes;
}

function pairsOf({ encoding }: BodyPlan, value: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(value).flatMap(([name, field]) => {
    const { style: given, explode = true } = fieldsOf(encoding[name]);
    const style = textIf(given) ?? "form";
    // nested values have no other form in a multipart body
    const isJson = given === undefined && isFields(field);
    const how = { name, style, explode: explode === true, isJson, allowReserved: false };
    return queryPairs(how, field).map(([key, text]): [string, string] => [key, text]);
  });
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : stringifyExactly(value);
}
