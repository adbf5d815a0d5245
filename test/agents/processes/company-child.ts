/** A process that takes one step of a turn: `node company-child.mjs <store> <notes> <step as JSON>`. */
import { appendFileSync } from "node:fs";
import { sqliteStore } from "kumiko/sqlite";
import { takeStep } from "../company/steps.js";

const [file = "", notes = "", step = ""] = process.argv.slice(2);
const store = sqliteStore(file);
const stop = await takeStep(JSON.parse(step), store, (line) => appendFileSync(notes, `${line}\n`));
process.stdout.write(JSON.stringify(stop));
await store.close();
