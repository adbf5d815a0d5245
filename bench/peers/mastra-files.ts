import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as theirs from "@mastra/core/mastra";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { LibSQLStore } from "@mastra/libsql";
import * as ours from "kumiko/mastra";
import { sqliteStore } from "kumiko/sqlite";
import type { Contender } from "../contender.js";
import { type MastraPackage, workflowsOf } from "./mastra-workflows.js";

/* Workflows in SQLite files: what is saved is serialized by both. The store in memory of Mastra keeps the live objects instead. */

/** The works that save something. */
const onlySaving = ({ askAndResume, savedChain, savedLoop, savedItems }: ReturnType<typeof workflowsOf>) => ({
  askAndResume,
  savedChain,
  savedLoop,
  savedItems,
});

const folder = mkdtempSync(join(tmpdir(), "kumiko-bench-"));
const quick = { validateInputs: false, emitStepEvents: false };
const whenWaiting = ({ workflowStatus }: { workflowStatus: string }) => workflowStatus === "suspended";
const storage = new LibSQLStore({ id: "bench", url: `file:${join(folder, "mastra.db")}` });

export const mastraInFiles: Contender = {
  name: "Mastra in files",
  ...onlySaving(
    workflowsOf({
      createStep,
      createWorkflow,
      fast: { options: quick },
      checked: { options: quick },
      waiting: { options: { ...quick, shouldPersistSnapshot: whenWaiting } },
      saved: { options: { ...quick, shouldPersistSnapshot: () => true } },
      register: (flow) => void new theirs.Mastra({ workflows: { flow }, storage, logger: false }),
      forget: (flow, runId) => flow.deleteWorkflowRunById(runId),
    }),
  ),
};

const fast = { options: { validateInputs: false } };
// as the store of Mastra sets it; the default, "full", survives a power failure too
const store = sqliteStore(join(folder, "kumiko.db"), { synchronous: "normal" });

export const kumikoMastraInFiles: Contender = {
  name: "kumiko/mastra in files",
  ...onlySaving(
    workflowsOf({
      createStep: ours.createStep as unknown as MastraPackage["createStep"],
      createWorkflow: ours.createWorkflow as unknown as MastraPackage["createWorkflow"],
      fast,
      checked: {},
      waiting: fast,
      saved: { ...fast, durability: "step" },
      register: (flow) =>
        void new ours.Mastra({ workflows: { flow: flow as never }, storage: store as never, logger: false }),
      forget: () => undefined,
    }),
  ),
};
