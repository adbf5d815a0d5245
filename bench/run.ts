import { cpus, loadavg } from "node:os";
import { measureCheckpoints } from "./checkpoints.js";
import { measureBuilding, measureChains, measureFanOut, measureLoops, measureStreams, pollute } from "./graphs.js";
import { measureTools } from "./tools.js";

/*
 * What kumiko costs beside the same work by hand: `npm run bench`. Ratios of CPU times in one process, interleaved rounds,
 * medians of nine. A ratio is good to about ±10 %.
 */
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, load ${loadavg()[0]?.toFixed(2)}`,
);
await pollute();
await measureChains();
await measureLoops();
await measureFanOut();
await measureStreams();
await measureTools();
await measureCheckpoints();
console.log("");
for (const line of await measureBuilding()) console.log(line);
