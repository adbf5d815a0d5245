import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { filesAsWritten } from "./test/ways/exceptions.js";

const source = fileURLToPath(new URL("./src", import.meta.url));

/** They need a process of their own: what they look at, or change, belongs to the whole process. */
const isolated = [
  "test/*.test.ts",
  "test/**/leaks.test.ts",
  "test/{bench,bullmq,crash,examples,mastra,otel,portability,stores}/**/*.test.ts",
  "test/mcp/{conformance,server}/**/*.test.ts",
  "test/agents/{crash,processes}/**/*.test.ts",
  "test/durable/kills/**/*.test.ts",
  "test/workspace/processes/**/*.test.ts",
  "test/viewer/page/**/*.test.ts",
  "test/evals/processes/**/*.test.ts",
  "test/bin/**/*.test.ts",
  "test/components/clock.test.ts",
  "test/checkpoint/tampered-documents.test.ts",
  "test/checkpoint/journal/**/*.test.ts",
  "test/tools/node/time-limits.test.ts",
  "test/tools/calls-that-are-over.test.ts",
];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^kumiko\/(sqlite|postgres)$/, replacement: `${source}/stores/$1/index.ts` },
      { find: /^kumiko\/(openapi|grpc|thrift)$/, replacement: `${source}/tools/$1/index.ts` },
      { find: /^kumiko\/rag\/files$/, replacement: `${source}/rag/files/index.ts` },
      { find: /^kumiko$/, replacement: `${source}/index.ts` },
      { find: /^kumiko\/([a-z-]+)$/, replacement: `${source}/$1/index.ts` },
    ],
  },
  test: {
    // on two cores one worker would be the default; many tests wait for other processes
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // a guard against what hangs: slow and busy machines must not fail
    testTimeout: process.env.PROPERTY_RUNS === undefined ? 180_000 : 0,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...isolated],
          // most of a minute is saved where files share the modules that they load
          isolate: false,
          typecheck: {
            // projects do not hear of the option by themselves
            enabled: process.argv.includes("--typecheck"),
            include: ["test/**/*.test-d.ts"],
            tsconfig: "./tsconfig.types.json",
          },
        },
      },
      { extends: true, test: { name: "isolated", include: isolated, exclude: configDefaults.exclude } },
      {
        // runs that are stopped, killed and taken over, again with stores that append: test/checkpoint/watched-store.ts
        extends: true,
        test: {
          name: "appending",
          env: { KUMIKO_APPENDS: "true" },
          isolate: false,
          include: [
            "test/checkpoint/{every-moment,random-*,takeovers*,claim*,own-claims,failing-*,hanging-*,copies,durability-*,refused-*,nested-*,failures,finished-ahead,saved-*}.test.ts",
          ],
        },
      },
      {
        // the tests of the executor again, each in another way to run: test/ways/ways.ts
        extends: true,
        test: {
          name: "ways",
          include: ["test/{compose,run,checkpoint}/**/*.test.ts", "test/tools/{node,contract}/**/*.test.ts"],
          exclude: [
            "test/compose/plan/**",
            "test/checkpoint/{values,journal}/**",
            "test/checkpoint/memory-store.test.ts",
            // a way of its own to run
            "test/run/segment/**",
            // counts the saves of a run, which are others in other ways to run
            "test/checkpoint/history*.test.ts",
            ...filesAsWritten.map((file) => `test/${file}`),
          ],
          setupFiles: ["test/ways/setup.ts"],
          isolate: false,
        },
      },
    ],
  },
});
