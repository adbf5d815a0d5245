import { type Exception, exceptions, knownDefects } from "./exceptions.js";
import type { Combination } from "./ways.js";

export interface FoundException extends Exception {
  /** Whether the fault is the executor's. */
  readonly isDefect: boolean;
}

const all: readonly FoundException[] = [
  ...exceptions.map((exception) => ({ ...exception, isDefect: false })),
  ...knownDefects.map((exception) => ({ ...exception, isDefect: true })),
];

/** Why a test runs as it is written, in a combination; `undefined` when it does not. */
export function findException(file: string, test: string, combination: Combination): FoundException | undefined {
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
