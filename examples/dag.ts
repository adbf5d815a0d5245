// `allPredecessor`: a node starts as soon as all nodes before it have finished, and branches that are not taken are
// skipped.
// expect: install, lint, test, docs, release → lint, test and docs
// expect: install, lint, test, release → lint and test
import { END, Graph, START } from "kumiko";

interface Job {
  wants: string[];
}

const order: string[] = [];
const task = (name: string) => async (job: Job) => {
  order.push(name);
  return job;
};
const check = (name: string) => async (_job: Job) => {
  order.push(name);
  return name;
};

const pipeline = new Graph<Job, string>()
  .addNode("install", task("install"))
  .addNode("lint", check("lint"), { outputKey: "lint" })
  .addNode("test", check("test"), { outputKey: "test" })
  .addNode("docs", check("docs"), { outputKey: "docs" })
  .addNode("release", async (reports: { lint: string; test: string; docs?: string }) => {
    order.push("release");
    return Object.values(reports)
      .join(", ")
      .replace(/, (?=[^,]*$)/, " and ");
  })
  .addEdge(START, "install")
  .addEdge("install", "lint")
  .addEdge("install", "test")
  .addBranch("install", ["docs"], ({ wants }) => (wants.includes("docs") ? "docs" : []))
  .addEdge("lint", "release")
  .addEdge("test", "release")
  .addEdge("docs", "release")
  .addEdge("release", END)
  .compile({ triggerMode: "allPredecessor" });

for (const wants of [["docs"], []]) {
  order.length = 0;
  const reports = await pipeline.invoke({ wants });
  console.log(`${order.join(", ")} → ${reports}`);
}
