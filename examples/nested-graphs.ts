// A graph or a chain is a node like any other, compiled or not; paths identify the nodes inside it.
// expect: <p>Hello &lt;b&gt;</p>
// expect: path clean/escape took "Hello <b>"
// expect: <p>HELLO</p>
import { Chain, componentHandlers, END, Graph, START } from "kumiko";

const clean = new Graph<string, string>()
  .addNode("trim", (text: string) => text.trim())
  .addNode("escape", (text: string) => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;"))
  .addEdge(START, "trim")
  .addEdge("trim", "escape")
  .addEdge("escape", END);

const page = new Chain<string>()
  .append(clean, { key: "clean" })
  .append((text) => `<p>${text}</p>`)
  .compile({ name: "page" });

console.log(await page.invoke("  Hello <b> "));

// You can pass handlers and options to a single node; the compiler knows the paths.
const told = componentHandlers({
  lambda: { onStart: (_info, value) => console.log(`path clean/escape took "${value}"`) },
});
await page.invoke("  Hello <b> ", { nodes: { "clean/escape": { callbacks: [told] } } });

// A run that is started inside a function becomes a child of the enclosing run when you pass its context.
const loud = new Chain<string>().append((text, ctx) => page.invoke(text.toUpperCase(), { parent: ctx })).compile();
console.log(await loud.invoke("hello"));
