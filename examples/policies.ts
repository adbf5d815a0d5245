// What nodes can do when they fail: retry, return a fallback, route the failure to another node.
// expect: attempt 1 failed, again in 20 ms
// expect: fresh: 3 articles
// expect: nothing about dragons today
import { componentHandlers, Graph, type NodeFailure } from "kumiko";

let calls = 0;
const news = new Graph<string, string>()
  .addNode(
    "search",
    async (topic: string, { attempt }) => {
      calls++;
      if (attempt === 1) throw Object.assign(new Error("too many requests"), { status: 429 });
      if (topic === "dragons") throw Object.assign(new Error("no such topic"), { status: 404 });
      return `${calls + 1} articles`;
    },
    { retry: { attempts: 3, delayMs: 20, jitter: false }, timeoutMs: 5_000 },
  )
  .addNode("show", (found: string) => `fresh: ${found}`)
  .addNode("apologize", ({ input }: NodeFailure<string>) => `nothing about ${input} today`)
  .addEdge("start", "search")
  .addEdge("search", "show")
  .addErrorBranch("search", ["apologize"], () => "apologize")
  .addEdge("show", "end")
  .addEdge("apologize", "end")
  .compile();

const retries = componentHandlers({
  lambda: {
    onEvent(_info, event) {
      const { kind, attempt, delayMs } = event as { kind: string; attempt: number; delayMs: number };
      if (kind === "retry") console.log(`attempt ${attempt} failed, again in ${delayMs} ms`);
    },
  },
});
console.log(await news.invoke("robots", { callbacks: [retries] }));
console.log(await news.invoke("dragons"));
