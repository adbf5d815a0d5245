import { join } from "node:path";
import type { Installed } from "../installed.js";
import { newerNodeIn } from "./peers.js";

type Described = Pick<Installed, "name" | "entry" | "smallest" | "typed">;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const effect: Described = {
  name: "Effect",
  entry: "effect",
  smallest: `import { Effect } from "effect";
    export const run = (x: number) => Effect.runPromise(Effect.gen(function* () { return yield* Effect.sync(() => x); }));`,
  typed: {
    imports: `import { Effect } from "effect";\nexport const used = Effect;\n`,
    line: (count) => `import { Effect } from "effect";
export const program = (x: { readonly a0: string }) => Effect.gen(function* () {
  const v0 = x;
${range(count)
  .map(
    (n) =>
      `  const v${n + 1} = yield* Effect.promise(async (): Promise<{ readonly a${n + 1}: string }> => ({ a${n + 1}: v${n}.a${n} }));`,
  )
  .join("\n")}
  return v${count};
});
`,
  },
};

const langgraph: Described = {
  name: "LangGraph",
  entry: "@langchain/langgraph",
  smallest: `import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
    const State = Annotation.Root({ value: Annotation<number> });
    export const run = new StateGraph(State).addNode("a", (x) => x).addEdge(START, "a").addEdge("a", END).compile();`,
  typed: {
    imports: `import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
export const used = [Annotation, END, START, StateGraph];\n`,
    // One field, in its favour: with a field for each node 50 of them do not compile.
    line: (count) => `import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
const State = Annotation.Root({ value: Annotation<string> });
export const graph = new StateGraph(State)
${range(count)
  .map((n) => `  .addNode("n${n}", async ({ value }) => ({ value }))`)
  .join("\n")}
  .addEdge(START, "n0")
${range(count - 1)
  .map((n) => `  .addEdge("n${n}", "n${n + 1}")`)
  .join("\n")}
  .addEdge("n${count - 1}", END)
  .compile();
`,
  },
};

const langchain: Described = {
  name: "LangChain",
  entry: "@langchain/core/runnables",
  smallest: `import { RunnableLambda } from "@langchain/core/runnables";
    export const run = RunnableLambda.from((x: number) => x).pipe(RunnableLambda.from((x: number) => x));`,
  typed: {
    imports: `import { RunnableLambda } from "@langchain/core/runnables";\nexport const used = RunnableLambda;\n`,
    line: (count) => `import { RunnableLambda } from "@langchain/core/runnables";
export const chain = RunnableLambda.from((x: { readonly a0: string }) => ({ a1: x.a0 }))
${range(count - 1)
  .map((n) => `  .pipe((x) => ({ a${n + 2}: x.a${n + 1} }))`)
  .join("\n")};
`,
  },
};

const mastra: Described = {
  name: "Mastra",
  entry: "@mastra/core/workflows",
  smallest: `import { createStep, createWorkflow } from "@mastra/core/workflows";
    export const run = (schema: never) => createWorkflow({ id: "w", inputSchema: schema, outputSchema: schema })
      .then(createStep({ id: "a", inputSchema: schema, outputSchema: schema, execute: async ({ inputData }) => inputData })).commit();`,
  typed: {
    imports: `import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
export const used = [createStep, createWorkflow, z];\n`,
    line: (count) => `import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
${range(count + 1)
  .map((n) => `const s${n} = z.object({ a${n}: z.string() });`)
  .join("\n")}
${range(count)
  .map(
    (n) =>
      `const n${n} = createStep({ id: "n${n}", inputSchema: s${n}, outputSchema: s${n + 1}, execute: async ({ inputData }) => ({ a${n + 1}: inputData.a${n} }) });`,
  )
  .join("\n")}
export const workflow = createWorkflow({ id: "w", inputSchema: s0, outputSchema: s${count} })
${range(count)
  .map((n) => `  .then(n${n})`)
  .join("\n")}
  .commit();
`,
  },
};

const genkit: Described = {
  name: "Genkit",
  entry: "genkit",
  smallest: `import { genkit, z } from "genkit";
    export const run = genkit({}).defineFlow({ name: "f", inputSchema: z.number() }, async (x) => x);`,
};

const aiSdk: Described = {
  name: "AI SDK",
  entry: "ai",
  smallest: `export { generateText, tool } from "ai";`,
};

const openAiAgents: Described = {
  name: "OpenAI Agents",
  entry: "@openai/agents",
  smallest: `import { Agent, run } from "@openai/agents";
    export const answer = (text: string) => run(new Agent({ name: "a", instructions: "" }), text);`,
};

const tanStackAi: Described = {
  name: "TanStack AI",
  entry: "@tanstack/ai",
  smallest: `export { chat, toolDefinition } from "@tanstack/ai";`,
};

/** What the peers are before anything runs, as they are installed in this folder. */
export function installedPeers(folder: string): Installed[] {
  const tsconfig = join(folder, "tsconfig.json");
  return [effect, langgraph, langchain, mastra, genkit, aiSdk, openAiAgents, tanStackAi].map((described) => ({
    ...described,
    folder,
    tsconfig,
    node: described === mastra ? newerNodeIn(folder) : undefined,
  }));
}
