import type { ShownSave } from "./run-model.js";

/** Why there is a save, in a few words. */
export function causeOf({ cause, ran, calls }: ShownSave): string {
  switch (cause) {
    case "task": {
      const call = calls?.at(-1)?.split(";").at(-1);
      const what = ran.at(-1) ?? call?.replace(/^\w+:/, "").split(":")[0];
      if (what === undefined) return "progress";
      return what.endsWith("/attempt") ? `${what.slice(0, -"/attempt".length)} answered` : `${what} finished`;
    }
    case "interrupt":
      return "waits for an answer";
    case "failure":
      return "failed";
    case "start":
      return "started";
    case "fork":
      return "forked";
    default:
      return "finished";
  }
}
