import { OnDemand } from "../../schema/on-demand.js";

const onDemand = new OnDemand(() => import("./chunk-document.js"));

/** Loads what splits documents, at its first use: a program that only asks an index never needs it. */
export function loadChunking(): Promise<typeof import("./chunk-document.js")> {
  return onDemand.load();
}
