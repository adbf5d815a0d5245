import { unreadableCheckpoint } from "../checkpoint-errors.js";

export type JsonRecord = Record<string, unknown>;

export function isJsonRecord(json: unknown): json is JsonRecord {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

export function asRecord(json: unknown, what: string): JsonRecord {
  if (isJsonRecord(json)) return json;
  throw unreadableCheckpoint(`${what} is not a record`);
}

export function asList<T>(json: unknown, what: string, read: (item: unknown) => T): T[] {
  if (Array.isArray(json)) return json.map(read);
  throw unreadableCheckpoint(`${what} is not a list`);
}

export function asText(json: unknown, what: string): string {
  if (typeof json === "string") return json;
  throw unreadableCheckpoint(`${what} is not a string`);
}

export function asStep(json: unknown, least: number, what: string): number {
  if (typeof json === "number" && Number.isSafeInteger(json) && json >= least) return json;
  throw unreadableCheckpoint(`${what} is not a whole number of at least ${least}`);
}

export function asBoolean(json: unknown, what: string): boolean {
  if (typeof json === "boolean") return json;
  throw unreadableCheckpoint(`${what} is neither true nor false`);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

export function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(data));
  } catch (cause) {
    throw unreadableCheckpoint("it is not a JSON document", cause);
  }
}
