const given = Number(process.env.PROPERTY_RUNS);
const isGiven = Number.isInteger(given) && given > 0;

/** How many random cases a property tries: few in CI, as many as you like with `PROPERTY_RUNS=10000 npx vitest run <file>`. */
export const numberOfRuns = (few: number): number => (isGiven ? given : few);

/** For tests of properties: as long as it takes when the number of runs is given. */
export const patience = { timeout: isGiven ? 2 ** 31 - 1 : 60_000 };

/** For properties: how long to look for a smaller counterexample. What has passed by then has passed. */
export const limits = isGiven ? {} : { interruptAfterTimeLimit: 30_000 };
