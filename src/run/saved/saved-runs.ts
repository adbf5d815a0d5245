import { questionExpired } from "../../checkpoint/checkpoint-errors.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { RunSnapshot } from "../../checkpoint/document/snapshot.js";
import { START, START_INDEX } from "../../compose/plan/plan.js";
import type { SavedRuns } from "../environment.js";
import type { Program } from "../program.js";
import type { Run } from "../run.js";
import { checkKinds } from "./check-snapshot.js";
import { History } from "./history.js";
import { Ledger } from "./ledger.js";
import { openJournal } from "./open-journal.js";
import { parseAnswer } from "./parse-answer.js";

/** The code that only resumable runs need. It is loaded when one begins. */
export const savedRuns = {
  newLedger(run: Run): Ledger {
    return new Ledger(run);
  },
  parseAnswer,
  expired: ({ key, address, expiresAt }) => questionExpired(key, address, expiresAt),
  openJournal,
  startSnapshot,
  checkKinds,
  newHistory: (program: Program, store: CheckpointStore): History => new History(program, store),
} satisfies SavedRuns & Record<string, unknown>;

/** The snapshot of a run that has its input, before any node has started. */
export function startSnapshot(run: Run, input: unknown): RunSnapshot {
  const start = {
    node: START,
    kind: run.node(START_INDEX).component,
    step: 0,
    done: true,
    output: { value: input },
    targets: undefined,
    visit: undefined,
    route: undefined,
  };
  const state = run.program.plan.state === undefined ? undefined : { value: run.ownState };
  return {
    address: run.address,
    base: 0,
    state,
    tasks: [start],
    stop: undefined,
    passed: [],
    chain: run.program.chain,
  };
}
