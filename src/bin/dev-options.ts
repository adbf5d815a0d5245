import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";

export interface DevOptions {
  /** A file whose exports are shown, or a trace; `undefined`: only the store is. */
  readonly file: string | undefined;
  readonly port: number;
  readonly host: string | undefined;
  readonly token: string | undefined;
  readonly store: string | undefined;
  readonly prices: string | undefined;
  readonly isOpened: boolean;
  readonly can: "look" | "answer" | "act";
}

/** Reads the flags of `kumiko dev`. Throws an error that says which one is wrong. */
export function readDevOptions(args: readonly string[]): DevOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      port: { type: "string", default: "4600" },
      host: { type: "string" },
      token: { type: "string" },
      store: { type: "string" },
      prices: { type: "string" },
      "no-open": { type: "boolean", default: false },
      can: { type: "string" },
    },
  });
  const { host, token, store, prices } = values;
  const [file, ...others] = positionals;
  if (others.length > 0) throw new Error(`kumiko dev takes one file (got ${positionals.join(", ")}).`);
  if (file === undefined && store === undefined)
    throw new Error(
      "Name the file whose exports are shown: kumiko dev agent.ts. A recorded trace.json or --store runs.db can be shown, too.",
    );
  if (file !== undefined && !existsSync(file)) throw new Error(`There is no file "${file}".`);
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port must be a number from 0 to 65535 (got "${values.port}").`);
  if (host !== undefined && !isLoopback(host) && (token === undefined || token.length < 32))
    throw new Error(`--host ${host} lets other machines in: it needs a --token of at least 32 characters.`);
  if (token !== undefined && !/^[\w-]{20,}$/.test(token))
    throw new Error("--token must have at least 20 characters: letters, digits, - and _.");
  const can = readCan(values.can, file);
  checkStore(store, file);
  checkPrices(prices);
  return { file, port, host, token, store, prices, isOpened: !values["no-open"], can };
}

/** Without apps nothing can be started: a trace is only looked at, a store answered at most. */
function readCan(given: string | undefined, file: string | undefined): DevOptions["can"] {
  if (given !== undefined && given !== "look" && given !== "answer" && given !== "act")
    throw new Error(`--can must be look, answer or act (got "${given}").`);
  if (file !== undefined && !isTrace(file)) return given ?? "act";
  if (given === undefined || given === "look") return "look";
  if (file !== undefined) throw new Error(`A trace can only be looked at: --can ${given} does not fit ${file}.`);
  if (given === "answer") return given;
  throw new Error("--store without a file has no apps that could act: --can must be look or answer.");
}

function checkStore(store: string | undefined, file: string | undefined): void {
  if (store === undefined || isPostgres(store)) return;
  // the address may have a password in it
  if (store.includes("://"))
    throw new Error("--store must be an SQLite file, or an address that begins with postgres://.");
  if (file !== undefined && isTrace(file))
    throw new Error(`--store does not fit ${file}: a trace has all that is shown.`);
  if (file === undefined && !existsSync(store)) throw new Error(`There is no file "${store}" (--store).`);
}

function checkPrices(prices: string | undefined): void {
  if (prices === undefined) return;
  if (!existsSync(prices)) throw new Error(`There is no file "${prices}" (--prices).`);
  try {
    const read: unknown = JSON.parse(readFileSync(prices, "utf8"));
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return;
  } catch {
    // said below
  }
  throw new Error(`--prices ${prices} must be JSON of this form: { "openai/gpt-5": { "input": 1.25, "output": 10 } }`);
}

export const isTrace = (file: string): boolean => file.endsWith(".json");
export const isPostgres = (store: string): boolean => /^postgres(ql)?:\/\//.test(store);

export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}
