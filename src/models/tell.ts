import type { SideEvent } from "../callbacks/side-event.js";
import type { NodeContext } from "../components/context.js";

interface Told {
  event(event: SideEvent): void;
}

/** Reports a side event to the handlers of a context. A hand-made context gets it as progress. */
export function tell(ctx: NodeContext, event: SideEvent): void {
  if ("span" in ctx) {
    if (isTold(ctx.span)) ctx.span.event(event);
  } else {
    ctx.progress(event);
  }
}

function isTold(span: unknown): span is Told {
  return typeof span === "object" && span !== null && "event" in span && typeof span.event === "function";
}
