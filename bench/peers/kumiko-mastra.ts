import { createStep, createTool, createWorkflow, Mastra } from "kumiko/mastra";
import { type Call, type Contender, weather } from "../contender.js";
import { type MastraPackage, workflowsOf } from "./mastra-workflows.js";

const fast = { options: { validateInputs: false } };

/** Mastra's names over this library. Its runs are kept in memory while they wait, in every workload. */
export const kumikoMastra: Contender = {
  name: "kumiko/mastra",
  ...workflowsOf({
    // the same calls: only the types have names of their own
    createStep: createStep as unknown as MastraPackage["createStep"],
    createWorkflow: createWorkflow as unknown as MastraPackage["createWorkflow"],
    fast,
    checked: {},
    waiting: fast,
    saved: { ...fast, durability: "step" },
    register: (flow) => void new Mastra({ workflows: { flow: flow as never }, logger: false }),
    forget: () => undefined,
  }),
  tools: (calls: readonly Call[]) => {
    const { name, description, schema, execute } = weather;
    const node = createTool({ id: name, description, inputSchema: schema, execute });
    return () => Promise.all(calls.map(({ arguments: text }) => node.execute(JSON.parse(text), {} as never)));
  },
};
