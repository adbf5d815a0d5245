import type { WireValue } from "../../api.js";
import { fieldsOf, tagOf } from "../parts/plain-value.js";

/** A value that was sent, as a form begins with it. Tags that have no JSON are left out. */
export function plainOf(value: WireValue | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plainOf);
  const tag = tagOf(value);
  if (tag?.$ === "text")
    return tag.kind === "number" || tag.kind === "date" || tag.kind === "url" ? tag.text : undefined;
  if (tag !== undefined && tag.$ !== "object" && tag.$ !== "class") return undefined;
  return Object.fromEntries([...fieldsOf(value)].map(([name, member]) => [name, plainOf(member)]));
}
