// Measures one workload in a process of its own, and prints what it found. children.ts starts it.
import { parkedWorkloads } from "./parked-workloads.js";
import { retainedBytes } from "./retained.js";

const PARKED = 2_000;

const [name = ""] = process.argv.slice(2);
const prepare = parkedWorkloads[name];
if (prepare === undefined) throw new Error(`There is no workload "${name}".`);
// Whoever is to wake a run holds on to it, as the outside would.
const waiting: ((value: number) => void)[] = [];
const keep = prepare(() => new Promise((resolve) => void waiting.push(resolve)));
// what is loaded on demand is there before anything is counted
const first = keep();
for (let n = 0; n < 500 && waiting.length === 0; n++) await new Promise((resolve) => setTimeout(resolve, 10));
if (first === undefined) throw new Error(`"${name}" keeps nothing.`);
const retained = await retainedBytes(keep, PARKED);
if (waiting.length < PARKED) throw new Error(`"${name}" does not wait: ${waiting.length} of ${PARKED} runs do.`);
console.log(JSON.stringify(Math.round(retained)));
