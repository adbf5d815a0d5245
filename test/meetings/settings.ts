/** What `npm run laws -- meetings` sets. */
const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export const firstSeed = number("KUMIKO_MEETINGS_SEED", 1);
export const count = number("KUMIKO_MEETINGS_COUNT", 400);
export const oneCase = process.env.KUMIKO_MEETINGS_CASE;
