import type { Stop } from "./spec.js";

/** The process cannot save any more. */
export const isCrash = (stop: Stop | undefined): boolean =>
  stop?.kind === "gone" || stop?.kind === "gone after" || stop?.kind === "store fails";
