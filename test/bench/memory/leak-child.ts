// Leaves one small object behind per run, or nothing. growth.test.ts starts it.
import { bytesAfterParts } from "../../../bench/memory/growth.js";

const kept: object[] = [];
const leak = async (): Promise<void> => void kept.push({ run: kept.length });
const clean = async (): Promise<object> => ({ run: kept.length });

const repeat = process.argv[2] === "leak" ? leak : clean;
console.log(JSON.stringify(await bytesAfterParts(repeat, 400, 6)));
