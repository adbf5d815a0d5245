import type { NodeContext } from "../components/context.js";
import { type Fields, isFields } from "../is.js";
import type { SchemaValidator } from "../schema/schema-validator.js";

/** What time is asked of: the clock of the run's runtime where it has one, so that tests can decide. */
interface Clock {
  now(): number;
  setTimer(run: () => void, milliseconds: number): unknown;
  clearTimer(timer: unknown): void;
}

const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

export function clockOf(ctx: NodeContext): Clock {
  const clock = runtimeOf(ctx)?.clock;
  return isClock(clock) ? clock : systemClock;
}

export function randomOf(ctx: NodeContext): () => number {
  const random = runtimeOf(ctx)?.random;
  return typeof random === "function" ? (random as () => number) : Math.random;
}

export function validatorOf(ctx: NodeContext): SchemaValidator | undefined {
  const validator = runtimeOf(ctx)?.schemaValidator;
  return isFields(validator) && typeof validator.compile === "function"
    ? (validator as object as SchemaValidator)
    : undefined;
}

function runtimeOf(ctx: NodeContext): Fields | undefined {
  const runtime: unknown = "runtime" in ctx ? ctx.runtime : undefined;
  return isFields(runtime) ? runtime : undefined;
}

function isClock(value: unknown): value is Clock {
  return isFields(value) && ["now", "setTimer", "clearTimer"].every((name) => typeof value[name] === "function");
}
