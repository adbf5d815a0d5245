/**
 * How a run is started: as the test says (`plain`), without the fast lane (`scheduled`), with a handler that does nothing, with one that also takes streams, with a `RunControl`
 * that nobody uses, or saved in a store at its stops or after every step.
 */
export const ways = [
  "plain",
  "scheduled",
  "watched",
  "watched-streams",
  "controlled",
  "saved-exit",
  "saved-step",
] as const;

export type Way = (typeof ways)[number];

/**
 * Which of the four modes answers a call: `invoke` is the one that the test names; the others answer every call that they
 * can answer without a chunk more or less.
 */
export const modes = ["invoke", "collect", "stream", "transform"] as const;

export type Mode = (typeof modes)[number];

/** One way to run, and one mode. */
export interface Combination {
  readonly way: Way;
  readonly mode: Mode;
}

/** Every combination but the one in which the tests run as they are written. */
export const combinations: readonly Combination[] = ways
  .flatMap((way) => modes.map((mode) => ({ way, mode })))
  .filter(({ way, mode }) => way !== "plain" || mode !== "invoke");

/** What the environment asks for: one combination for all tests, or `undefined` for the sample. */
export function givenCombination(environment: NodeJS.ProcessEnv): Combination | undefined {
  const { KUMIKO_WAY: way = "plain", KUMIKO_MODE: mode = "invoke" } = environment;
  if (environment.KUMIKO_WAY === undefined && environment.KUMIKO_MODE === undefined) return undefined;
  if (!isOneOf(ways, way)) throw new Error(`KUMIKO_WAY is "${way}", and can be ${ways.join(", ")}.`);
  if (!isOneOf(modes, mode)) throw new Error(`KUMIKO_MODE is "${mode}", and can be ${modes.join(", ")}.`);
  return { way, mode };
}

/** Each test in one combination, always the same: over the whole tree every combination has its share. */
export function sampled(file: string, test: string): Combination {
  const chosen = combinations[hash(`${file} > ${test}`) % combinations.length];
  if (chosen === undefined) throw new Error("There is no combination.");
  return chosen;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return names.some((known) => known === name);
}
