import { storeFiles } from "kumiko/workspace";
import { describe, it } from "vitest";
import { whyNot } from "../../stores/postgres/server.js";
import { TableServer } from "../../stores/postgres/table-server.js";
import { filesContract } from "../files-contract.js";

const missing = whyNot();

describe.skipIf(missing !== undefined)("storeFiles in PostgreSQL", () => {
  const server = missing === undefined ? new TableServer() : undefined;
  let tables = 0;
  filesContract(() => {
    if (server === undefined) throw new Error(missing);
    tables += 1;
    return storeFiles(server.open(`files_${tables}`), "team/a");
  });
});

it.skipIf(missing === undefined)(`storeFiles in PostgreSQL (skipped: ${missing})`, () => undefined);
