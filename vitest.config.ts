import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = fileURLToPath(new URL("./src", import.meta.url));

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
    // on two cores one worker would be the default, and half of them idle
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // a guard against what hangs: slow and busy machines must not fail
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "tests",
          include: ["test/**/*.test.ts"],
          typecheck: {
            // projects do not hear of the option by themselves
            enabled: process.argv.includes("--typecheck"),
            include: ["test/**/*.test-d.ts"],
            tsconfig: "./tsconfig.types.json",
          },
        },
      },
      {
        // runs that are stopped, killed and taken over, again with stores that append: test/checkpoint/watched-store.ts
        extends: true,
        test: {
          name: "appending",
          env: { KUMIKO_APPENDS: "true" },
          include: [
            "test/checkpoint/{every-moment,random-*,takeovers*,claim*,own-claims,failing-*,hanging-*,copies,durability-*,refused-*,nested-*,failures,saved-*}.test.ts",
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
            // counts the saves of a run, which are others in other ways to run
            "test/checkpoint/history*.test.ts",
          ],
          setupFiles: ["test/ways/setup.ts"],
          isolate: false,
        },
      },
    ],
  },
});
