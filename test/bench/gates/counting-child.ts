// Counts what is known beforehand. counting.test.ts starts it, with the flags that counting needs.
import { countBytes, countPromises, type Work, watchCollections } from "../../../bench/gates/counting.js";

const settled = Promise.resolve();
const works: Readonly<Record<string, Work>> = {
  nothing: () => undefined,
  arrayOfTen: () => new Array(10),
  arrayOfThirty: () => new Array(30),
  arrayBuffer: () => new ArrayBuffer(1_000),
  settledPromise: () => settled,
  promise: () => Promise.resolve(1),
  threePromises: () => Promise.resolve(1).then().then(),
  later: () => new Promise((resolve) => setImmediate(resolve)),
};

const [name = "", runs = "100"] = process.argv.slice(2);
const work = works[name];
if (work === undefined) throw new Error(`There is no work "${name}".`);
const stop = watchCollections();
const bytes = await countBytes(work, Number(runs));
const collections = await stop();
console.log(JSON.stringify({ bytes, promises: await countPromises(work, 10), collections }));
