import type { NodeSpec, Value } from "./spec.js";
import { digest, outputOf, visitOf, written } from "./words.js";

/** How often a node has run that gets its own output: 0 if it gets something else. */
export function turnOf(input: Value, key: string): number {
  if (typeof input !== "object" || Array.isArray(input)) return 0;
  const own = (input as { readonly [key: string]: Value })[key];
  return typeof own === "string" ? Number(own.split("~")[2] ?? 0) : 0;
}

/** Only the first item fails. */
export function itemSpec({ asks, once, waits, fails }: NodeSpec, input: Value): NodeSpec {
  const isFirst = (input as { readonly n: string }).n === "0";
  return {
    kind: "value",
    ...(asks === undefined ? {} : { asks }),
    ...(once ? { once } : {}),
    ...(waits === undefined ? {} : { waits }),
    ...(fails === undefined || !isFirst ? {} : { fails }),
  };
}

export const itemsOf = (path: string, input: Value, items: number): Value[] =>
  Array.from({ length: items }, (_, n) => ({ of: visitOf(path, input), n: String(n) }));

export function allOf(results: readonly Value[], isUnordered: boolean | undefined): string {
  const texts = results.map(written);
  return `all~${digest((isUnordered ? texts.sort() : texts).join())}`;
}

/** The value of a stream: texts join, records key by key. */
export async function joined(chunks: AsyncIterable<Value>): Promise<Value> {
  let whole: Value;
  for await (const chunk of chunks) whole = join(whole, chunk);
  return whole;
}

export function join(whole: Value, chunk: Value): Value {
  if (whole === undefined) return chunk;
  if (chunk === undefined) return whole;
  if (typeof whole === "string" || typeof chunk === "string") return `${whole}${chunk}`;
  if (Array.isArray(whole) || Array.isArray(chunk)) return [...(whole as Value[]), ...(chunk as Value[])];
  const record: Record<string, Value> = { ...(whole as Record<string, Value>) };
  for (const [key, value] of Object.entries(chunk)) record[key] = join(record[key], value);
  return record;
}

/** A fallback gives what its node would have given: a graph gives records. */
export function fallbackValue(kind: NodeSpec["kind"], path: string, name: string): Value {
  const text = outputOf(path, name, []);
  return kind === "flow" ? { instead: text } : text;
}
