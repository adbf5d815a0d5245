// Graphs that are built in statements and loops: `node` returns a typed reference, and edges connect references.
// expect: ((5 + 1) * 2) - 3 = 9
// expect: start → begin → step 0 → step 1 → step 2 → print → end
import { Graph, type SourceRef } from "kumiko";

interface Sum {
  value: number;
  text: string;
}
const steps: [symbol: string, apply: (value: number) => number][] = [
  ["+ 1", (value) => value + 1],
  ["* 2", (value) => value * 2],
  ["- 3", (value) => value - 3],
];

const graph = new Graph<number, string>();
const begin = graph.node("begin", (value: number): Sum => ({ value, text: String(value) }));
graph.connect(graph.start, begin);

let last: SourceRef<Sum> = begin;
for (const [index, [symbol, apply]] of steps.entries()) {
  const step = graph.node(
    `step ${index}`,
    ({ value, text }: Sum): Sum => ({ value: apply(value), text: `${index === 0 ? text : `(${text})`} ${symbol}` }),
  );
  graph.connect(last, step); // a type mismatch is an error here, in the editor
  last = step;
}

const print = graph.node("print", ({ value, text }: Sum) => `${text} = ${value}`);
graph.connect(last, print).connect(print, graph.end);

const compute = graph.compile();
console.log(await compute.invoke(5));
const { edges } = compute.graphInfo();
console.log(["start", ...edges.map(({ to }) => to)].join(" → "));
