import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = fileURLToPath(new URL("../../src/index.ts", import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^kumiko$/, replacement: source },
      { find: /^kumiko\/mastra$/, replacement: fileURLToPath(new URL("../../src/mastra/index.ts", import.meta.url)) },
    ],
  },
  test: { include: ["*.spec.ts"] },
});
