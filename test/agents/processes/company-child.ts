/** A process that takes one step of a turn: `node company-child.mjs <store> <notes> <step as JSON>`. */
import { appendFileSync } from "node:fs";
import { sqliteStore, sqliteVectors } from "kumiko/sqlite";
import { kitOf } from "../company/feature.js";
import { takeStep } from "../company/steps.js";

const [file = "", notes = "", step = ""] = process.argv.slice(2);
const store = sqliteStore(file);
const vectors = sqliteVectors(`${file}-vectors`);
const kit = kitOf(store, (line) => appendFileSync(notes, `${line}\n`), vectors);
const stop = await takeStep(JSON.parse(step), kit);
process.stdout.write(JSON.stringify(stop));
await vectors.close();
await store.close();
