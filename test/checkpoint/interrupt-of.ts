import { type Interrupt, type InterruptError, isInterrupt } from "kumiko";
import { rejectedBy } from "../run/rejected-by.js";

/** The interrupt that a run stops with. */
export async function interruptOf(promise: Promise<unknown>): Promise<InterruptError> {
  const error = await rejectedBy(promise);
  if (isInterrupt(error)) return error;
  throw error;
}

/** The only place that waits when a run stops. */
export async function questionOf(promise: Promise<unknown>): Promise<Interrupt> {
  const { interrupts } = await interruptOf(promise);
  const [question] = interrupts;
  if (question === undefined || interrupts.length > 1) throw new Error(`${interrupts.length} places wait, not one.`);
  return question;
}

/** The id of the question that was asked with this text. */
export function idOf({ interrupts }: InterruptError, info: string): string {
  const found = interrupts.filter((interrupt) => interrupt.info === info);
  const [question] = found;
  if (question === undefined || found.length > 1) throw new Error(`${found.length} places ask ${info}, not one.`);
  return question.id;
}

/** What is asked, in order. */
export function infosOf({ interrupts }: InterruptError): unknown[] {
  return interrupts.map(({ info }) => info);
}

/** Ids by what is asked. */
export function idsOf({ interrupts }: InterruptError): Record<string, string> {
  return Object.fromEntries(interrupts.map(({ info, id }) => [String(info), id]));
}

/** Counts how often things were done. */
export interface Effects {
  readonly did: (name: string) => number;
  readonly counts: () => Record<string, number>;
}

export function effects(): Effects {
  const counts = new Map<string, number>();
  return {
    did: (name) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count;
    },
    counts: () => Object.fromEntries(counts),
  };
}
