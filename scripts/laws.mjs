// Checks laws with many more examples than the tests; takes minutes.
//   npm run laws                      all of these
//   npm run laws -- chats             chats that are loaded again after every chunk, and whose servers are killed after every chunk
//   npm run laws -- chunking          the chunking strategies, with 10,000 documents each
//   npm run laws -- context           what models are asked in 1,000 long conversations that are trimmed, cleared and summarised
//   npm run laws -- runs              properties of runs, of saved values and of schemas, with 2,000 examples each
//   npm run laws -- crashes           runs whose processes are killed, 500 times
//   npm run laws -- pushes            what is said to turns whose process is killed 500 times
//   npm run laws -- threads           10,000 operations of several processes on the same threads (turns, double posts, pushes, stops, edits), in SQLite and in PostgreSQL
//   npm run laws -- workers           500 workers that are killed and 100 that are frozen while the database goes away, and workers that
//                                     are stopped: of kumiko/durable on SQLite and on PostgreSQL, of BullMQ on Redis and on PostgreSQL
//   npm run laws -- meetings          20,000 programs in which features meet: [--seed 1] [--count 20000], or --case '<json>'
import { spawnSync } from "node:child_process";

const [first, ...others] = process.argv.slice(2);
const all = ["chats", "chunking", "context", "crashes", "meetings", "pushes", "runs", "threads", "workers"];
const isNamed = first !== undefined && all.includes(first);
const laws = isNamed ? [first] : all;
const given = isNamed ? others : process.argv.slice(2);

/**
 * Takes an option of its own out of the arguments.
 * @param {string} name
 * @param {string | undefined} otherwise
 */
function option(name, otherwise) {
  const index = given.indexOf(`--${name}`);
  return index < 0 ? otherwise : given.splice(index, 2)[1];
}

const meetings = {
  KUMIKO_MEETINGS_SEED: option("seed", "1"),
  KUMIKO_MEETINGS_COUNT: option("count", "20000"),
  KUMIKO_MEETINGS_CASE: option("case", undefined),
};

/** @type {Record<string, { files: string, env: Record<string, string | undefined> }>} */
const runs = {
  chats: { files: "test/ui/chats", env: { KUMIKO_CHATS: "all" } },
  chunking: { files: "test/rag/chunking", env: { KUMIKO_DOCUMENTS: process.env.KUMIKO_DOCUMENTS ?? "10000" } },
  context: {
    files: "test/agents/middleware/context-laws.test.ts",
    env: { PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? "1000" },
  },
  crashes: { files: "test/crash", env: { KUMIKO_CRASH_KILLS: process.env.KUMIKO_CRASH_KILLS ?? "500" } },
  meetings: { files: "test/meetings", env: meetings },
  pushes: { files: "test/agents/crash/pushes", env: { KUMIKO_PUSH_KILLS: process.env.KUMIKO_PUSH_KILLS ?? "500" } },
  threads: {
    files: "test/agents/crash/storm",
    env: { KUMIKO_STORM_OPERATIONS: process.env.KUMIKO_STORM_OPERATIONS ?? "10000" },
  },
  workers: { files: "test/durable/kills", env: { KUMIKO_WORKER_KILLS: process.env.KUMIKO_WORKER_KILLS ?? "500" } },
  runs: { files: "property.test.ts test/run/properties", env: { PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? "2000" } },
};

for (const law of laws) {
  const { files = "", env = {} } = runs[law] ?? {};
  const { status } = spawnSync("npx", ["vitest", "run", ...files.split(" "), ...given], {
    stdio: "inherit",
    shell: process.platform === "win32",
    env: { ...process.env, ...env },
  });
  if (status !== 0) process.exitCode = status ?? 1;
}
