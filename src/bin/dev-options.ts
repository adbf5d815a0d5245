import { existsSync } from "node:fs";
import { parseArgs } from "node:util";

export interface DevOptions {
  readonly file: string;
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
      can: { type: "string", default: "act" },
    },
  });
  const [file, ...others] = positionals;
  if (file === undefined) throw new Error("Name the file whose exports are shown: kumiko dev agent.ts");
  if (others.length > 0) throw new Error(`kumiko dev takes one file (got ${positionals.join(", ")}).`);
  if (!existsSync(file)) throw new Error(`There is no file "${file}".`);
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535 (got "${values.port}").`);
  }
  const { host, token, store, prices, can } = values;
  if (host !== undefined && !isLoopback(host) && (token === undefined || token.length < 32)) {
    throw new Error(`--host ${host} lets other machines in: it needs a --token of at least 32 characters.`);
  }
  if (can !== "look" && can !== "answer" && can !== "act") {
    throw new Error(`--can must be look, answer or act (got "${can}").`);
  }
  if (prices !== undefined && !existsSync(prices)) throw new Error(`There is no file "${prices}" (--prices).`);
  return { file, port, host, token, store, prices, isOpened: !values["no-open"], can };
}

export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}
