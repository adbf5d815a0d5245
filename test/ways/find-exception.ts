import { type Exception, exceptions, knownDefects, type NamedTests } from "./exceptions.js";
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
export function findException(file: string, test: string, { way, mode }: Combination): FoundException | undefined {
  return all.find(
    ({ ways = [], modes = [], tests }) =>
      (ways.includes(way) || modes.includes(mode)) && tests.some((named) => isNamed(named, file, test)),
  );
}

function isNamed([namedFile, namedTest]: NamedTests, file: string, test: string): boolean {
  if (file !== `test/${namedFile}`) return false;
  if (namedTest === undefined) return true;
  return typeof namedTest === "string" ? test.includes(namedTest) : namedTest.test(test);
}
