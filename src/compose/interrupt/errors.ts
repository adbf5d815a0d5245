import { KumikoError } from "../../errors.js";

// stores

/** What became of a checkpoint that somebody wanted to replace or remove. */
export const checkpointConflict = (id: string, expected: number | undefined, found?: number): KumikoError =>
  new KumikoError("CHECKPOINT_CONFLICT", `${conflict(id, expected, found)} Read it again before you write.`);

function conflict(id: string, expected: number | undefined, found: number | undefined): string {
  const name = `Checkpoint ${quoteId(id)}`;
  if (expected === undefined) return `${name} exists already${found === undefined ? "" : ` (version ${found})`}.`;
  if (found === undefined) return `${name} no longer has version ${expected}: somebody replaced or removed it.`;
  return `${name} has version ${found}, not ${expected}: somebody else wrote it.`;
}

export const invalidCheckpointId = (id: unknown, why: string): KumikoError =>
  new KumikoError("INVALID_KEY", `The checkpoint id ${quoteId(id)} cannot be used: ${why}.`);

export const storeClosed = (store: string): KumikoError =>
  new KumikoError("STORE_FAILED", `This ${store} is closed. Make a new one, or close it later.`);

export const storeFailed = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("STORE_FAILED", what, cause === undefined ? {} : { cause });

const shown = 80;

function quoteId(id: unknown): string {
  if (typeof id !== "string") return `(${typeof id})`;
  return JSON.stringify(id.length > shown ? `${id.slice(0, shown)}…` : id);
}
