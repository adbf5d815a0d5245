import type { SideEvent } from "../callbacks/side-event.js";
import type { NodeContext } from "../components/context.js";

interface Told {
  event(event: SideEvent): void;
}

/** Tells the handlers of a place about something on the way. A context that somebody made by hand hears of it as progress. */
export function tell(ctx: NodeContext, event: SideEvent): void {
  if ("watch" in ctx) {
    if (isTold(ctx.watch)) ctx.watch.event(event);
  } else {
    ctx.progress(event);
  }
}

function isTold(watch: unknown): watch is Told {
  return typeof watch === "object" && watch !== null && "event" in watch && typeof watch.event === "function";
}
