const given = Number(process.env.PROPERTY_RUNS);
/** Whether the number is given: what is tried by chance or in part is then tried at length. */
export const isGiven = Number.isInteger(given) && given > 0;

/** How many random cases a property tries: few in CI, as many as you like with `PROPERTY_RUNS=10000 npx vitest run <file>`; `npm run laws` tries 2,000. */
export const numberOfRuns = (few: number): number => (isGiven ? given : few);

/** For tests of properties: as long as it takes when the number of runs is given. */
export const patience = { timeout: isGiven ? 2 ** 31 - 1 : 180_000 };

/** For properties: how long to look for a smaller counterexample. Where none is found by then, a case hangs. */
export const limits = isGiven ? {} : { interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true };
