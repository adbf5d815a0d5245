// Graphs that are built in statements and loops: an untyped graph takes any keys, and `compile()` checks its structure.
// expect: ((5 + 1) * 2) - 3 = 9
// expect: start → begin → step 0 → step 1 → step 2 → print → end
import { END, Graph, START } from "kumiko";

interface Sum {
  value: number;
  text: string;
}
const steps: [symbol: string, apply: (value: number) => number][] = [
  ["+ 1", (value) => value + 1],
  ["* 2", (value) => value * 2],
  ["- 3", (value) => value - 3],
];

const graph = new Graph<number, string>().untyped();
graph.addNode("begin", (value: number): Sum => ({ value, text: String(value) })).addEdge(START, "begin");

let last = "begin";
for (const [index, [symbol, apply]] of steps.entries()) {
  const key = `step ${index}`;
  graph.addNode(key, ({ value, text }: Sum): Sum => {
    return { value: apply(value), text: `${index === 0 ? text : `(${text})`} ${symbol}` };
  });
  graph.addEdge(last, key);
  last = key;
}

graph
  .addNode("print", ({ value, text }: Sum) => `${text} = ${value}`)
  .addEdge(last, "print")
  .addEdge("print", END);

const compute = graph.compile(); // a Runnable<number, string>, whatever is inside
console.log(await compute.invoke(5));
const { edges } = compute.graphInfo();
console.log(["start", ...edges.map(({ to }) => to)].join(" → "));
