// Repeats one scenario in a process of its own, and prints how much memory is in use after each part. run.ts starts it.
import { bytesAfterParts } from "./growth.js";
import { scenarios } from "./scenarios/all.js";

const [name = "", runsPerPart, parts] = process.argv.slice(2);
const scenario = scenarios[name];
if (scenario === undefined) throw new Error(`There is no scenario "${name}".`);
console.log(JSON.stringify(await bytesAfterParts(scenario.prepare(), Number(runsPerPart), Number(parts))));
