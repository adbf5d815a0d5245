// A workflow: each node declares which parts of which outputs it reads, and runs when they are available.
// expect: { answer: "3 hits on kumiko", sources: ["/0", "/1", "/2"] }
// expect: search -> write: hits.*.url → urls
import { constant, from, START, Workflow } from "kumiko";

interface Found {
  hits: { title: string; url: string }[];
}

const flow = new Workflow<{ question: string }, { answer: string; sources: string[] }>()
  .addNode(
    "search",
    async ({ query, limit }: { query: string; limit: number }): Promise<Found> => ({
      hits: Array.from({ length: limit }, (_, n) => ({ title: `${query} ${n}`, url: `/${n}` })),
    }),
    { input: { query: from(START, "question"), limit: constant(3) } },
  )
  .addNode("write", ({ question, urls }) => `${urls.length} hits on ${question}`, {
    input: { question: from(START, "question"), urls: from("search", "hits.*.url") },
  })
  .end({ answer: from("write"), sources: from("search", ({ hits }: Found) => hits.map(({ url }) => url)) });

const app = flow.compile({ name: "research" });
const result = await app.invoke({ question: "kumiko" });
console.log(`{ answer: "${result.answer}", sources: ${JSON.stringify(result.sources).replaceAll(",", ", ")} }`);
for (const { from: source, to, label } of app.graphInfo().edges) console.log(`${source} -> ${to}: ${label}`);
