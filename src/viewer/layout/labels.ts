import { sizes } from "./level.js";
import type { Wire } from "./wire.js";

/** Where a label stands: in the channel below this row, at its upper or lower side. */
export interface LabelPlace {
  readonly wire: Wire;
  readonly channel: number;
  readonly side: "upper" | "lower";
  readonly x: number;
  /** Labels that would cover each other stand one above the other. */
  layer: number;
}

/** The text that stands on an edge; `""` for none. A path that is also the field is written once. */
export function labelText(labels: readonly string[]): string {
  const [label, ...others] = labels;
  if (label === undefined) return "";
  if (others.length > 0) return `${labels.length} fields`;
  const text = label.replace(/ →\s*$|^\s*→ /, "").replace(/^(.*) → \1$/, "$1");
  return text.length > 22 ? `${text.slice(0, 21)}…` : text;
}

/** The width of a label, by its length: the same on every machine. */
export function labelWidth(text: string): number {
  return Math.ceil(text.length * 6.3) + 14;
}

/** At the target if nothing else enters it, at the source if nothing else leaves it; otherwise where the edge is alone. */
export function placeLabels(wires: readonly Wire[], corridors: ReadonlyMap<Wire, readonly number[]>): LabelPlace[] {
  const ahead = wires.filter(({ isBack }) => !isBack);
  const places = ahead.flatMap((wire): LabelPlace[] => {
    const xs = corridors.get(wire) ?? [];
    if (labelText(wire.labels) === "") return [];
    const isOnlyIn = ahead.filter(({ to }) => to === wire.to).length === 1;
    const isOnlyOut = ahead.filter(({ from }) => from === wire.from).length === 1;
    if (isOnlyIn) return [{ wire, channel: wire.toRow - 1, side: "lower", x: xs.at(-1) ?? 0, layer: 0 }];
    if (isOnlyOut) return [{ wire, channel: wire.fromRow, side: "upper", x: xs[0] ?? 0, layer: 0 }];
    return [{ wire, channel: wire.fromRow, side: "lower", x: xs[1] ?? 0, layer: 0 }];
  });
  stack(places);
  return places;
}

function stack(places: readonly LabelPlace[]): void {
  places.forEach((place, index) => {
    const others = places
      .slice(0, index)
      .filter(({ channel, side }) => channel === place.channel && side === place.side);
    while (others.some((other) => other.layer === place.layer && isCovering(other, place))) place.layer++;
  });
}

function isCovering(a: LabelPlace, b: LabelPlace): boolean {
  const widths = labelWidth(labelText(a.wire.labels)) + labelWidth(labelText(b.wire.labels));
  return Math.abs(a.x - b.x) < widths / 2 + 4;
}

/** The room that the labels at one side of a channel take. */
export function roomFor(places: readonly LabelPlace[], channel: number, side: LabelPlace["side"]): number {
  const own = places.filter((place) => place.channel === channel && place.side === side);
  return own.length === 0 ? 0 : (Math.max(...own.map(({ layer }) => layer)) + 1) * (sizes.label + 2) + 8;
}
