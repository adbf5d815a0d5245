/** A process with a workflow that waits: `node worker.mjs <store> <log> <command>`. It notes each effect in a file. */
import { appendFileSync, writeSync } from "node:fs";
import { createStep, createWorkflow, Mastra } from "kumiko/mastra";
import { sqliteStore } from "kumiko/sqlite";

const [, , file = "", log = "", command = ""] = process.argv;
const note = (line: string): void => appendFileSync(log, `${line}\n`);

const prepare = createStep({
  id: "prepare",
  execute: async ({ inputData }) => {
    note("prepare");
    return inputData;
  },
});
const each = createStep({
  id: "each",
  execute: async ({ inputData }) => {
    note(`item ${String(inputData)}`);
    if (command === "start" && inputData === "c") process.kill(process.pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 100));
    return `did ${String(inputData)}`;
  },
});
const approve = createStep({
  id: "approve",
  execute: async ({ inputData, resumeData, suspend }) => {
    note("approve");
    if (resumeData === undefined) return suspend({ ask: inputData });
    if (command === "die") process.kill(process.pid, "SIGKILL");
    return { inputData, resumeData };
  },
});
const flow = createWorkflow({ id: "flow", durability: "step" }).then(prepare).foreach(each).then(approve).commit();
const storage = sqliteStore(file);
new Mastra({ workflows: { flow }, storage, logger: false });
const run = flow.createRun({ runId: "r" });
const result =
  command === "start" || command === "plain"
    ? await run.start({ inputData: ["a", "b", "c"] as never })
    : command === "restart"
      ? await run.restart()
      : await run.resume({ step: "approve", resumeData: "yes" });
const { status } = result;
writeSync(1, JSON.stringify({ status, value: result.status === "success" ? result.result : undefined }));
if (command === "plain") process.kill(process.pid, "SIGKILL"); // it waits, and its process is gone
await storage.close();
