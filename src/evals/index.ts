/** Evals: tapes of models and tools, trajectories, scores with honest numbers, and gates. @packageDocumentation */

export { cassette } from "./tape/cassette.js";
export type { CassetteOptions, Tape, TapeMode } from "./tape/tape.js";
