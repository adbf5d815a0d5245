import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = fileURLToPath(new URL("./src", import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^kumiko\/(sqlite|postgres)$/, replacement: `${source}/stores/$1/index.ts` },
      { find: /^kumiko\/openapi$/, replacement: `${source}/components/openapi/index.ts` },
      { find: /^kumiko$/, replacement: `${source}/index.ts` },
      { find: /^kumiko\/([a-z-]+)$/, replacement: `${source}/$1/index.ts` },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    // a guard against what hangs: slow and busy machines must not fail
    testTimeout: 60_000,
    hookTimeout: 60_000,
    typecheck: { include: ["test/**/*.test-d.ts"], tsconfig: "./tsconfig.types.json" },
  },
});
