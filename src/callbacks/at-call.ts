/**
 * A method of handlers, called when a stream is asked for: it runs only when it is read, maybe elsewhere. Gives what runs work
 * in the surroundings of the call.
 */
export const atCall: unique symbol = Symbol.for("kumiko/atCall");

type Surroundings = (work: () => void) => void;

/** Makes `start` run in what handlers keep of this call. */
export function startedHere<Started, Args extends unknown[]>(
  start: (...args: Args) => Started,
  ...handlers: readonly unknown[]
): (...args: Args) => Started {
  let from = start;
  for (const handler of handlers.flat()) {
    const keep = (handler as { readonly [atCall]?: () => Surroundings } | undefined)?.[atCall];
    if (typeof keep === "function") from = within(keep.call(handler), from);
  }
  return from;
}

function within<Started, Args extends unknown[]>(
  surroundings: Surroundings,
  start: (...args: Args) => Started,
): (...args: Args) => Started {
  return (...args) => {
    let started: { readonly value: Started } | undefined;
    surroundings(() => {
      started = { value: start(...args) };
    });
    return started === undefined ? start(...args) : (started as { readonly value: Started }).value;
  };
}
