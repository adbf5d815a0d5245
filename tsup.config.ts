import { defineConfig } from "tsup";
import { bundlePackage } from "./scripts/build/bundle-package.js";
import { declarationsOf } from "./scripts/build/declarations.js";
import { droppable } from "./scripts/build/droppable.js";
import { keepTogether } from "./scripts/build/keep-together.js";
import { loadAtStart } from "./scripts/build/load-at-start.js";

const root = "src/index.ts";

/** The other entries. */
const parts = {
  "schema/index": "src/schema/index.ts",
  "components/index": "src/components/index.ts",
  "callbacks/index": "src/callbacks/index.ts",
  "compose/index": "src/compose/index.ts",
  "testing/index": "src/testing/index.ts",
  "models/index": "src/models/index.ts",
  "agents/index": "src/agents/index.ts",
  "tools/openapi/index": "src/tools/openapi/index.ts",
  "tools/grpc/index": "src/tools/grpc/index.ts",
  "tools/thrift/index": "src/tools/thrift/index.ts",
  "templates/index": "src/templates/index.ts",
  "ui/index": "src/ui/index.ts",
  "otel/index": "src/otel/index.ts",
  "rag/index": "src/rag/index.ts",
  "rag/files/index": "src/rag/files/index.ts",
  "search/index": "src/search/index.ts",
  "svg/index": "src/svg/index.ts",
  "mcp/index": "src/mcp/index.ts",
  "mastra/index": "src/mastra/index.ts",
  "stores/sqlite/index": "src/stores/sqlite/index.ts",
  "stores/postgres/index": "src/stores/postgres/index.ts",
};

/** What a program has loaded that runs a graph, and so whatever is loaded on demand can count on. */
const core = "src/compose/graph.ts";
const onDemand = [
  "src/run/policies/retry-delay.ts",
  "src/schema/concat/concat-chunks.ts",
  "src/schema/message/concat-lists.ts",
  "src/schema/validation/loosen-schema.ts",
];
/** What is loaded on demand beside the scheduler. */
const scheduling = "src/run/scheduling.ts";
const onDemandOfRuns = [
  "src/run/saved/saved-runs.ts",
  "src/run/policies/around-node.ts",
  "src/run/policies/held-back.ts",
];
/** Parts that wait on a clock, or whose first use begins at once. Node.js loads them with the entries, so that nothing starts late. */
const partsAtStart = [
  "src/models/attempts-stream.ts",
  "src/models/await-retry.ts",
  "src/agents/limited-model.ts",
  "src/agents/streaming.ts",
];
/** What `kumiko/rag` loads on demand. */
const rag = "src/rag/index.ts";
const onDemandOfRag = [
  "src/rag/chunking/chunk-document.ts",
  "src/rag/vectors/memory-store.ts",
  "src/rag/extraction/extract-metadata.ts",
  "src/rag/chunking/html/split-html.ts",
  "src/rag/chunking/json/split-json.ts",
  "src/rag/chunking/latex/split-latex.ts",
  "src/rag/chunking/markdown/split-markdown.ts",
  "src/rag/chunking/markdown/front-matter.ts",
];

/** What single entries load on demand, or what any of them may. */
const onDemandOfParts = {
  "src/schema/json-schema/compilers.ts": root,
  "src/schema/validation/revive-dates.ts": root,
  "src/tools/define/mend-arguments.ts": root,
  "src/tools/node/repair-tool-calls.ts": root,
  "src/models/ai-sdk/adapted-model.ts": "src/models/index.ts",
  "src/agents/agent-approvals.ts": "src/agents/index.ts",
  // parts that Node.js loads with the entries: in few files, none of which holds what bundles need at their start
  "src/models/attempts-stream.ts": [
    "src/models/await-retry.ts",
    "src/models/fallback-model.ts",
    "src/models/retry-model.ts",
    root,
  ],
  "src/models/await-retry.ts": [
    "src/models/attempts-stream.ts",
    "src/models/fallback-model.ts",
    "src/models/retry-model.ts",
    root,
  ],
  "src/agents/limited-model.ts": ["src/agents/streaming.ts", "src/agents/create-agent.ts", root],
  "src/agents/streaming.ts": ["src/agents/limited-model.ts", "src/agents/create-agent.ts", root],
  "src/agents/partial-output.ts": ["src/agents/index.ts", "src/models/index.ts"],
  "src/agents/structured-output.ts": ["src/agents/index.ts", "src/models/index.ts"],
  "src/agents/run-hooks.ts": ["src/agents/index.ts", "src/agents/streaming.ts"],
  "src/agents/step-changes.ts": "src/agents/index.ts",
  "src/agents/auto-resume.ts": "src/agents/index.ts",
  "src/agents/saved-calls.ts": "src/agents/index.ts",
  "src/agents/end-after-round.ts": "src/agents/index.ts",
  "src/agents/lost-question.ts": "src/agents/index.ts",
  "src/agents/freeze-log.ts": "src/agents/index.ts",
  "src/agents/own-calls.ts": "src/agents/index.ts",
  "src/agents/open-tools.ts": "src/agents/index.ts",
  "src/agents/mcp-approvals.ts": "src/agents/index.ts",
  "src/agents/fork-thread.ts": "src/agents/index.ts",
  "src/tools/thrift/idl/idl-files.ts": "src/tools/thrift/index.ts",
};

export default defineConfig({
  // run-emitter.ts brings a package with it: in a file of its own, bundlers leave it out where it is not used
  entry: { index: root, ...parts, "callbacks/run-emitter": "src/callbacks/run-emitter.ts" },
  format: "esm",
  target: ["es2022", "node20"],
  platform: "neutral",
  // For the stores and loaders; the other entries reach none of it. Packages are external when package.json says that they are needed.
  external: [/^node:/],
  noExternal: ["eventemitter3"],
  removeNodeProtocol: false,
  splitting: true,
  // esbuild drops what nothing uses. tsup's `treeshake` would add a second pass, which writes the source map comment twice.
  sourcemap: true,
  dts: { entry: declarationsOf(import.meta.dirname, { index: root, ...parts }) },
  clean: true,
  esbuildPlugins: [
    loadAtStart(import.meta.dirname, [scheduling, ...partsAtStart]),
    bundlePackage(import.meta.dirname, "eventemitter3", "dist/eventemitter3.esm.js"),
    keepTogether(import.meta.dirname, {
      ...Object.fromEntries(Object.values(parts).map((file) => [file, root])),
      ...Object.fromEntries(onDemand.map((file) => [file, core])),
      [scheduling]: root,
      // batches need these too; without this they would become a file of their own
      "src/run/policies/default-retry-on.ts": "src/run/policies/retry-delay.ts",
      ...Object.fromEntries(onDemandOfRuns.map((file) => [file, scheduling])),
      ...Object.fromEntries(onDemandOfRag.map((file) => [file, rag])),
      ...onDemandOfParts,
    }),
  ],
  plugins: [
    {
      name: "classes",
      renderChunk: (code) => ({ code: droppable(restoreClassNames(code)) }),
    },
  ],
});

/** esbuild turns a class that mentions itself into `var A = class _A`, and users would read `_A` in what they log. */
function restoreClassNames(code: string): string {
  const names = [...code.matchAll(/^var ([\w$]+) = class _\1\b/gm)].map(([, name]) => name ?? "");
  return names.reduce((text, name) => text.replace(new RegExp(`(?<![\\w$#.])_${name}\\b`, "g"), () => name), code);
}
