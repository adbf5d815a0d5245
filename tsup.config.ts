import { defineConfig } from "tsup";
import { bundlePackage } from "./scripts/build/bundle-package.js";
import { declarationsOf } from "./scripts/build/declarations.js";
import { embedPageAssets } from "./scripts/build/page-assets.js";

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
  "evals/index": "src/evals/index.ts",
  "search/index": "src/search/index.ts",
  "workspace/index": "src/workspace/index.ts",
  "svg/index": "src/svg/index.ts",
  "viewer/index": "src/viewer/index.ts",
  "mcp/index": "src/mcp/index.ts",
  "mastra/index": "src/mastra/index.ts",
  "bullmq/index": "src/bullmq/index.ts",
  "durable/index": "src/durable/index.ts",
  "stores/sqlite/index": "src/stores/sqlite/index.ts",
  "stores/postgres/index": "src/stores/postgres/index.ts",
};

/** The command `kumiko`, and what it starts. */
const programs = {
  "bin/kumiko": "src/bin/kumiko.ts",
  "bin/init": "src/bin/init.ts",
  "bin/dev": "src/bin/dev.ts",
  "bin/dev-child": "src/bin/dev-child.ts",
};

export default defineConfig({
  // run-emitter.ts brings a package with it: in a file of its own, bundlers leave it out where it is not used
  entry: { index: root, ...parts, "callbacks/run-emitter": "src/callbacks/run-emitter.ts", ...programs },
  format: "esm",
  target: ["es2022", "node20"],
  platform: "neutral",
  // For the stores and loaders; the other entries reach none of it. Packages are external when package.json says that they are needed.
  external: [/^node:/],
  noExternal: ["eventemitter3", "@dagrejs/dagre"],
  removeNodeProtocol: false,
  splitting: true,
  // esbuild drops what nothing uses. tsup's `treeshake` would add a second pass, which writes the source map comment twice.
  sourcemap: true,
  dts: { entry: declarationsOf(import.meta.dirname, { index: root, ...parts }) },
  clean: true,
  esbuildPlugins: [
    bundlePackage(import.meta.dirname, "eventemitter3", "dist/eventemitter3.esm.js"),
    bundlePackage(import.meta.dirname, "@dagrejs/dagre", "dist/dagre.esm.js"),
    embedPageAssets(import.meta.dirname),
  ],
  plugins: [
    {
      name: "classes",
      renderChunk: (code) => ({ code: restoreClassNames(code) }),
    },
  ],
});

/** esbuild turns a class that mentions itself into `var A = class _A`, and users would read `_A` in what they log. */
function restoreClassNames(code: string): string {
  const names = [...code.matchAll(/^var ([\w$]+) = class _\1\b/gm)].map(([, name]) => name ?? "");
  return names.reduce((text, name) => text.replace(new RegExp(`(?<![\\w$#.])_${name}\\b`, "g"), () => name), code);
}
