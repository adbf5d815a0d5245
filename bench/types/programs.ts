import { agent, agentImports } from "./agents.js";
import { workflow } from "./workflows.js";

/** A generated program, and how many type instantiations it may cost above the imports it needs. */
export interface Program {
  readonly name: string;
  readonly source: string;
  /** What it needs before it has anything. @default a program with only the imports of graphs */
  readonly imports?: string | undefined;
  readonly budget?: number | undefined;
}

const named = ["string", "number", "boolean", "Item"];
const primitives = (index: number): string => named[index % named.length] ?? "string";
const records = (index: number): string => `{ a${index}: string; b: number }`;
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const head = `import { Chain, Graph } from "kumiko";
export interface Item { readonly id: string; readonly score: number }
declare const made: never;
`;

export const importsOnly: Program = {
  name: "imports only",
  source: `${head}export const used = [Chain, Graph, made];\n`,
};

/** The programs whose cost for the compiler is watched. */
export const programs: readonly Program[] = [
  { name: "fluent, 10 nodes", source: fluent(10, primitives) },
  { name: "fluent, 50 nodes", source: fluent(50, primitives), budget: 24_000 },
  { name: "fluent, 100 nodes", source: fluent(100, primitives) },
  { name: "fluent, 150 nodes", source: fluent(150, primitives), budget: 70_000 },
  { name: "fluent, 50 nodes, 12 branches", source: branched(50) },
  { name: "fluent, 50 nodes, inline records", source: fluent(50, records) },
  { name: "addNodes, 150 nodes", source: addNodes(150), budget: 55_000 },
  { name: "addNodes, 500 nodes", source: addNodes(500) },
  { name: "chain, 50 steps", source: chain(50) },
  { name: "chain, 200 steps", source: chain(200) },
  { name: "workflow, 30 nodes", source: workflow(30, true), budget: 60_000 },
  { name: "workflow, 30 nodes, inline records", source: workflow(30, false), budget: 100_000 },
  { name: "workflow, 100 nodes", source: workflow(100, true), budget: 160_000 },
  { name: "agent, 30 tools, 6 middlewares", source: agent(30, 6), imports: agentImports, budget: 15_000 },
];

/** A graph that fits on a screen, for what an editor shows of it. */
export const fiveNodes: string = fluent(5, primitives);

/** A compiled graph, for what a declaration file says of it. */
export const sixtyNodes: string = fluent(60, primitives);

function line(count: number): string {
  const steps = range(count - 1).map((index) => `  .addEdge("n${index}", "n${index + 1}")\n`);
  return `  .addEdge("start", "n0")\n${steps.join("")}  .addEdge("n${count - 1}", "end")`;
}

function node(index: number, typeOf: (index: number) => string): string {
  return `(value: ${typeOf(index)}): ${typeOf(index + 1)} => made ?? value`;
}

function fluent(count: number, typeOf: (index: number) => string): string {
  const nodes = range(count).map((index) => `  .addNode("n${index}", ${node(index, typeOf)})\n`);
  return `${head}const graph = new Graph<${typeOf(0)}, ${typeOf(count)}>()\n${nodes.join("")}${line(count)};
export const compiled = graph.compile();\n`;
}

/** A loop with a way out at every fourth node. */
function branched(count: number): string {
  const same = () => "number";
  const nodes = range(count).map((index) => `  .addNode("n${index}", ${node(index, same)})\n`);
  const edges = range(count - 1).map((index) =>
    index % 4 === 3
      ? `  .addBranch("n${index}", ["n${index + 1}", "n0", "end"], (value) => (value > 1 ? "n0" : "end"))\n`
      : `  .addEdge("n${index}", "n${index + 1}")\n`,
  );
  return `${head}const graph = new Graph<number, number>()\n${nodes.join("")}  .addEdge("start", "n0")\n${edges.join("")}  .addEdge("n${count - 1}", "end");
export const compiled = graph.compile();\n`;
}

function addNodes(count: number): string {
  const nodes = range(count).map((index) => `  n${index}: ${node(index, primitives)},\n`);
  return `${head}const graph = new Graph<${primitives(0)}, ${primitives(count)}>().addNodes({\n${nodes.join("")}})\n${line(count)};
export const compiled = graph.compile();\n`;
}

function chain(count: number): string {
  const steps = range(count).map((index) => `  .append((value): ${primitives(index + 1)} => made ?? value)\n`);
  return `${head}const steps = new Chain<${primitives(0)}>()\n${steps.join("")};\nexport const compiled = steps.compile();\n`;
}
