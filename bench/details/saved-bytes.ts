// What runs leave in a store: node bench/start.mjs bench/details/saved-bytes.ts
import { savedBytesRows } from "../measure/saved-bytes.js";
import { targetTable, toText } from "../report/table.js";

console.log(toText(targetTable(await savedBytesRows())));
