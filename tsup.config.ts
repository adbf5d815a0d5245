import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "schema/index": "src/schema/index.ts",
    "components/index": "src/components/index.ts",
    "callbacks/index": "src/callbacks/index.ts",
    "compose/index": "src/compose/index.ts",
    "testing/index": "src/testing/index.ts",
  },
  format: "esm",
  target: ["es2022", "node20"],
  platform: "neutral",
  splitting: true,
  treeshake: true,
  sourcemap: true,
  dts: true,
  clean: true,
});
