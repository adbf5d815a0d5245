// Several nodes process one input at the same time; the next node receives their outputs in one record.
// expect: { words: 4, longest: 'crooked' }
// expect: A CROOKED MAN WALKED (4 words, the longest is "crooked")
import { Chain, END, Graph, START } from "kumiko";

// In a chain: a parallel step returns a record with the output of each member.
const measure = new Chain<string>()
  .append((text) => text.split(" "))
  .appendParallel({
    words: (words) => words.length,
    longest: async (words) => words.reduce((a, b) => (b.length > a.length ? b : a), ""),
  })
  .compile();
console.log(await measure.invoke("a crooked man walked"));

// In a graph: several edges into one node deliver the parts of its input. A missing part is a compile error.
const describe = new Graph<string, string>()
  .addNode("measure", measure)
  .addNode("shout", (text: string) => text.toUpperCase(), { outputKey: "loud" })
  .addNode(
    "join",
    ({ words, longest, loud }: { words: number; longest: string; loud: string }) =>
      `${loud} (${words} words, the longest is "${longest}")`,
  )
  .addEdge(START, "measure")
  .addEdge(START, "shout")
  .addEdge("measure", "join")
  .addEdge("shout", "join")
  .addEdge("join", END)
  .compile();
console.log(await describe.invoke("a crooked man walked"));
