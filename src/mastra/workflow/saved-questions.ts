import { inCheckpoint } from "../../checkpoint/checkpoint-errors.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { readDocument } from "../../checkpoint/document/read-document.js";
import { readRow } from "../../checkpoint/journal/store-calls.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import type { Runtime } from "../../compose/runtime.js";
import { KumikoError } from "../../errors.js";
import { openQuestions } from "../../run/saved/saved-run.js";

/** How a run ended that waits for no answer any more. */
const over: readonly string[] = ["finished", "failed", "cancelled"];

/** The questions of a saved run that have no answer. It is only read; whether it can be resumed is seen when that is tried. */
export async function savedQuestions(
  { store, runtime }: { readonly store: CheckpointStore; readonly runtime: Runtime },
  id: string,
): Promise<readonly Interrupt[]> {
  const row = await readRow(store, id);
  if (row === undefined) return [];
  try {
    const document = readDocument(row, codecOf(runtime.codecs));
    return over.includes(document.status) ? [] : openQuestions({ ...document, status: "waiting" });
  } catch (error) {
    throw KumikoError.is(error) ? inCheckpoint(id, error) : error;
  }
}
