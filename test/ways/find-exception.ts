import { type Exception, exceptions, knownDefects } from "./exceptions.js";
import type { Combination } from "./ways.js";

const all: readonly Exception[] = [...exceptions, ...knownDefects];

/** Why a test runs as it is written, in a combination; `undefined` when it does not. */
export function findException(file: string, test: string, combination: Combination): Exception | undefined {
  return all.find((exception) => names(exception, file, test) && isFor(exception, combination));
}

function names({ file, test }: Exception, ownFile: string, ownTest: string): boolean {
  if (ownFile !== `test/compose/${file}`) return false;
  if (test === undefined) return true;
  return typeof test === "string" ? test === ownTest || ownTest.startsWith(`${test} > `) : test.test(ownTest);
}

function isFor({ ways, modes }: Exception, { way, mode }: Combination): boolean {
  if (modes !== undefined && !modes.includes(mode)) return false;
  if (ways !== undefined) return ways.includes(way);
  return modes !== undefined || way !== "plain";
}
