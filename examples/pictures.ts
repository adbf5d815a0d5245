// The structure of a graph, and what happened in a run: as text for Mermaid, and as an SVG file.
// expect: n2["guess ×3"]
// expect: n3 ==> n2
// expect: class n0,n1,n2,n3 done
// expect: an SVG of its own: true
import { END, Graph, START, traceRecorder } from "kumiko";
import { toSvg } from "kumiko/svg";

const search = new Graph<number, number>()
  .addNode("guess", (count: number) => count + 1)
  .addNode("check", (count: number) => count)
  .addEdge(START, "guess")
  .addBranch("guess", ["check", END], (count) => (count < 3 ? "check" : END))
  .addEdge("check", "guess")
  .compile({ name: "search" });

const trace = traceRecorder();
await search.invoke(0, { callbacks: [trace] });
console.log(search.toMermaid({ trace: trace.toJSON() }));

const svg = await toSvg(search, { trace: trace.toJSON(), theme: "dark" });
console.log("an SVG of its own:", svg.startsWith("<svg") && !svg.includes("<script"));
