const head = `import { createTool, type StandardSchemaV1 } from "kumiko";
import { createAgent, createMiddleware } from "kumiko/agents";
declare const made: never;
declare const model: Parameters<typeof createAgent>[0]["model"];
type Shape<T> = StandardSchemaV1<T, T>;
`;

/** What an agent needs before it has anything: an agent without tools. */
export const agentImports = `${head}export const used = [createTool, createMiddleware, createAgent({ model })];\n`;

/** An agent with tools that have types of their own, and middlewares that have a state. */
export function agent(tools: number, middlewares: number): string {
  const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const toolLines = range(tools).map(
    (index) => `  createTool({
    id: "t${index}",
    description: "",
    inputSchema: made as Shape<{ a${index}: string; b: number }>,
    execute: async ({ a${index}, b }) => ({ c${index}: a${index}.length + b }),
  }),\n`,
  );
  const middlewareLines = range(middlewares).map(
    (index) => `  createMiddleware({
    name: "m${index}",
    state: () => ({ n${index}: 0 }),
    beforeStep(run) {
      run.state.n${index} += run.steps.length;
    },
  }),\n`,
  );
  return `${head}export const agent = createAgent({
  model,
  output: made as Shape<{ answer: string }>,
  tools: [\n${toolLines.join("")}],
  middleware: [\n${middlewareLines.join("")}],
});
export const answer = async (): Promise<string> => (await agent.generate("Hi")).output.answer;\n`;
}
