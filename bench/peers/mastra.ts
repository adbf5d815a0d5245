import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { MDocument } from "@mastra/rag";
import { type Call, type Contender, weather } from "../contender.js";
import { workflowsOf } from "./mastra-workflows.js";

const fast = { validateInputs: false, emitStepEvents: false, shouldPersistSnapshot: () => false };
const whenWaiting = ({ workflowStatus }: { workflowStatus: string }) => workflowStatus === "suspended";

export const mastra: Contender = {
  name: "Mastra",
  ...workflowsOf({
    createStep,
    createWorkflow,
    fast: { options: fast },
    checked: { options: { ...fast, validateInputs: true } },
    waiting: { options: { ...fast, shouldPersistSnapshot: whenWaiting } },
    saved: { options: { ...fast, shouldPersistSnapshot: () => true } },
    register: (flow) => void new Mastra({ workflows: { flow }, storage: new InMemoryStore(), logger: false }),
    forget: (flow, runId) => flow.deleteWorkflowRunById(runId),
  }),
  tools,
  splitters: {
    recursive: (text, maxSize) => splitterOf(text, { strategy: "recursive", maxSize, overlap: 0 }),
    character: (text, maxSize) => splitterOf(text, { strategy: "character", separator: "\n\n", maxSize, overlap: 0 }),
    token: (text, maxSize) => splitterOf(text, { strategy: "token", encodingName: "o200k_base", maxSize, overlap: 0 }),
    sentence: (text, maxSize) => splitterOf(text, { strategy: "sentence", maxSize, overlap: 0 }),
    markdown: (text, maxSize) => splitterOf(text, { strategy: "markdown", maxSize, overlap: 0 }),
    // it counts tokens
    "semantic-markdown": (text, size) =>
      splitterOf(text, { strategy: "semantic-markdown", joinThreshold: Math.round(size / 4) }),
    html: (text, maxSize) => splitterOf(text, { strategy: "html", headers: [["h2", "title"]], maxSize, overlap: 0 }),
    latex: (text, maxSize) => splitterOf(text, { strategy: "latex", maxSize, overlap: 0 }),
    json: (text, maxSize) => splitterOf(text, { strategy: "json", maxSize }),
  },
};

/** Arguments come as text; the agent of Mastra would parse it. */
function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const { name, description, schema, execute } = weather;
  const node = createTool({ id: name, description, inputSchema: schema, execute });
  return () => Promise.all(calls.map(({ arguments: text }) => node.execute?.(JSON.parse(text), {} as never)));
}

/** Its documents remember what they were split into: each run needs a new one. */
function splitterOf(text: string, options: Parameters<MDocument["chunk"]>[0]): () => Promise<readonly string[]> {
  return async () => (await MDocument.fromText(text).chunk(options)).map((chunk) => chunk.text);
}
