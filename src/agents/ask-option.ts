import { causedByInterrupt } from "../checkpoint/pause/interrupt.js";
import { optionFailed } from "./errors.js";

/** Calls a function of an option. If it throws, the error names the function; stops and questions pass. */
export async function askOption<T>(
  agent: string,
  option: string,
  signal: AbortSignal,
  ask: () => T | Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (causedByInterrupt(error) || (signal.aborted && error === signal.reason)) throw error;
    throw optionFailed(agent, option, error);
  }
}
