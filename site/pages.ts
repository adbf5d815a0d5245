export interface PageGroup {
  readonly text: string;
  /** Names of files in `docs/guides`, without `.md`; a path from `docs` for pages that stand elsewhere. */
  readonly pages: readonly string[];
}

/** The sidebar of the guides, in reading order. A guide that is in no group, or in two, fails `npm run docs` and the tests. */
export const groups: readonly PageGroup[] = [
  { text: "First minutes", pages: ["first-agent", "first-graph", "troubleshooting", "../glossary"] },
  {
    text: "Agents",
    pages: [
      "agents",
      "threads-and-memory",
      "long-term-memory",
      "steering",
      "middleware",
      "many-agents",
      "files-and-skills",
      "guardrails",
      "chat-page",
      "serving-an-agent",
      "../deployment",
      "events",
      "models",
      "../local-models",
      "images-and-files",
      "templates",
      "testing",
      "evals",
    ],
  },
  {
    text: "Tools",
    pages: [
      "tools",
      "tool-middleware",
      "tools-reference",
      "../tool-calls-compared",
      "mcp",
      "../grpc",
      "../thrift",
      "../search",
    ],
  },
  { text: "Graphs", pages: ["workflow", "what-the-compiler-says", "streams", "maps-and-batches", "../pictures"] },
  {
    text: "Runs",
    pages: [
      "when-things-fail",
      "../failures-compared",
      "waiting-for-people",
      "waiting-for-people-reference",
      "durable-runs",
      "../engines",
      "history",
      "callbacks",
      "tracing",
      "../traces-elsewhere",
      "../viewer",
    ],
  },
  { text: "Documents", pages: ["documents-and-retrieval", "../answers-with-sources"] },
  { text: "Coming from", pages: ["../coming-from-langgraph", "../coming-from-the-ai-sdk", "../coming-from-mastra"] },
  { text: "More", pages: ["errors", "../performance", "versions"] },
];
