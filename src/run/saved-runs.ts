import { checkKinds } from "./check-snapshot.js";
import type { SavedRuns } from "./environment.js";
import { Ledger } from "./ledger.js";
import { openJournal } from "./open-journal.js";
import { parseAnswer } from "./parse-answer.js";
import type { Run } from "./run.js";
import { startSnapshot } from "./start-snapshot.js";

/** All that only runs need which can be resumed or asked to stop: loaded when the first of them begins. */
export const savedRuns = {
  newLedger: (run: Run): Ledger => new Ledger(run),
  parseAnswer,
  openJournal,
  startSnapshot,
  checkKinds,
} satisfies SavedRuns & Record<string, unknown>;
