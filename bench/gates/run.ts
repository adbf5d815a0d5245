/*
 * Counts what this package costs, and fails when that has grown by more than 10 % over budgets.json: `npm run budgets`.
 * Nothing here looks at a clock. `-- types bundles` counts some kinds only, `-- --update` records what it finds.
 */
import { join } from "node:path";
import { aiSdk, measureBundles } from "../../scripts/bundle-sizes.mjs";
import { type Gates, runGates } from "./gates.js";
import { countInstantiations } from "./instantiations.js";
import { countParkedRuns } from "./parked.js";
import { measureTypeTexts } from "./type-texts.js";

const gates: Gates = {
  bundles: async () => {
    const sizes = new Map((await measureBundles()).map(({ name, gzipped }) => [name, gzipped]));
    const [own = 0, theirs = 0] = [sizes.get("agent"), sizes.get(aiSdk)];
    if (own > theirs) throw new Error(`An agent is ${own} bytes, and ${aiSdk} are ${theirs}. Make the agent smaller.`);
    sizes.delete(aiSdk);
    return { gzippedBytes: Object.fromEntries(sizes) };
  },
  types: () => ({ typeInstantiations: countInstantiations(), typeTexts: measureTypeTexts() }),
  parked: () => countParkedRuns(),
};

process.exitCode = await runGates(gates, process.argv.slice(2), join(import.meta.dirname, "../../budgets.json"));
