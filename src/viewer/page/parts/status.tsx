/** @jsxImportSource preact */
import { Icon, type IconName } from "./icon.js";

/** The color of a status: the words of runs and of nodes. */
export function tone(status: string): "done" | "running" | "waiting" | "failed" | "idle" {
  switch (status) {
    case "finished":
    case "done":
      return "done";
    case "running":
      return "running";
    case "waiting":
      return "waiting";
    case "failed":
      return "failed";
    default:
      return "idle";
  }
}

const icons: Readonly<Record<string, IconName>> = { finished: "check", done: "check" };

/** A status as a word in its color, with its shape. */
export function Pill({ status, word = status }: { readonly status: string; readonly word?: string }) {
  const icon = icons[status];
  return (
    <span class={`pill ${tone(status)}`}>
      {icon === undefined ? <Dot status={status} /> : <Icon name={icon} size={13} />}
      {word}
    </span>
  );
}

/** The shape of a status: always beside its word, or named itself. */
export function Dot({ status, isNamed = false }: { readonly status: string; readonly isNamed?: boolean }) {
  const shape = status === "finished" ? "done" : status;
  if (!isNamed) return <span class={`dot ${shape}`} aria-hidden="true" />;
  return <span class={`dot ${shape}`} role="img" aria-label={status} title={status} />;
}
