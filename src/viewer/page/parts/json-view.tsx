/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import type { ValueView, WireValue } from "../../api.js";
import { fieldsOf, isSame, tagOf, tagText } from "./plain-value.js";
import { SafeText } from "./safe-text.js";

interface JsonLine {
  readonly indent: number;
  readonly name: string | undefined;
  readonly kind: "text" | "value" | "mark";
  readonly text: string;
  readonly comma: boolean;
  readonly isChanged: boolean;
}

/** So many lines are shown at first. */
const firstLines = 400;

interface JsonViewProps {
  readonly value: WireValue | undefined;
  /** What it was before: lines that differ are marked. */
  readonly before?: WireValue | undefined;
  readonly label: string;
}

/** A value as JSON, in colors, as text only. */
export function JsonView({ value, before, label }: JsonViewProps) {
  const [limit, setLimit] = useState(firstLines);
  const lines: JsonLine[] = [];
  addLines(lines, value ?? { $: "undefined" }, { before, indent: 0, name: undefined, comma: false, limit: limit + 1 });
  return (
    <div class="json" tabIndex={0} role="group" aria-label={label}>
      {lines.slice(0, limit).map((line, index) => (
        <div key={index} class={line.isChanged ? "add" : undefined}>
          {"  ".repeat(line.indent)}
          {line.name !== undefined && (
            <>
              <span class="k">
                <SafeText text={/^[\w$]+$/.test(line.name) ? line.name : JSON.stringify(line.name)} hasLinks={false} />
              </span>
              {": "}
            </>
          )}
          <span class={line.kind === "text" ? "s" : line.kind === "value" ? "n" : undefined}>
            <SafeText text={line.text} />
          </span>
          {line.comma && ","}
        </div>
      ))}
      {lines.length > limit && (
        <button type="button" class="link" onClick={() => setLimit(limit * 8)}>
          Show more
        </button>
      )}
    </div>
  );
}

interface Place {
  readonly before: WireValue | undefined;
  readonly indent: number;
  readonly name: string | undefined;
  readonly comma: boolean;
  readonly limit: number;
}

function addLines(lines: JsonLine[], value: WireValue, place: Place): void {
  if (lines.length > place.limit) return;
  const { before, indent, name, comma } = place;
  const isChanged = before !== undefined && !isSame(before, value);
  const add = (kind: JsonLine["kind"], text: string, end = comma, mark = isChanged): void => {
    lines.push({
      indent,
      name: kind === "mark" && /^[\]}]/.test(text) ? undefined : name,
      kind,
      text,
      comma: end,
      isChanged: mark,
    });
  };
  const tag = tagOf(value);
  if (tag !== undefined && tag.$ !== "object" && tag.$ !== "class" && tag.$ !== "map" && tag.$ !== "set") {
    add("value", tagText(tag));
    return;
  }
  if (typeof value !== "object" || value === null) {
    add(typeof value === "string" ? "text" : "value", JSON.stringify(value));
    return;
  }
  const entries = entriesOf(value);
  const [open, close] = Array.isArray(value) || tag?.$ === "set" ? ["[", "]"] : ["{", "}"];
  const head = tag !== undefined && tag.$ !== "object" ? `${tagText(tag)} ` : "";
  if (entries.length === 0) {
    add("mark", `${head}${open}${close}`);
    return;
  }
  add("mark", `${head}${open}`, false, false);
  entries.forEach(([key, item], index) => {
    const old = before === undefined ? undefined : (oldItem(before, key, index) ?? { $: "undefined" });
    const inner = { before: old, indent: indent + 1, name: key, comma: index < entries.length - 1, limit: place.limit };
    addLines(lines, item, inner);
  });
  add("mark", close, comma, false);
}

function entriesOf(value: WireValue): (readonly [string | undefined, WireValue])[] {
  if (Array.isArray(value)) return value.map((item) => [undefined, item] as const);
  const tag = tagOf(value);
  if (tag?.$ === "set") return tag.values.map((item) => [undefined, item] as const);
  if (tag?.$ === "map") {
    return tag.entries.map(([key, item]) => [typeof key === "string" ? key : JSON.stringify(key), item] as const);
  }
  return [...fieldsOf(value)];
}

function oldItem(before: WireValue, key: string | undefined, index: number): WireValue | undefined {
  if (key === undefined) return Array.isArray(before) ? before[index] : undefined;
  return fieldsOf(before).get(key);
}

interface ValueProps {
  readonly view: ValueView | undefined;
  readonly label: string;
  readonly before?: WireValue | undefined;
  /** Loads the whole of a value that was cut. */
  readonly load?: ((more: string) => Promise<ValueView>) | undefined;
  /** How it is read before it is shown. */
  readonly read?: ((value: WireValue) => WireValue | undefined) | undefined;
}

/** A value that may have been cut, with what loads the rest. */
export function ValueBox({ view, label, before, load, read }: ValueProps) {
  const [whole, setWhole] = useState<{ of: ValueView; is: ValueView } | undefined>();
  if (view === undefined) return <p class="t3">None.</p>;
  const shown = whole?.of === view ? whole.is : view;
  const { more } = shown;
  return (
    <>
      <JsonView value={read === undefined ? shown.value : read(shown.value)} before={before} label={label} />
      {more !== undefined && load !== undefined && (
        <button type="button" class="link" onClick={async () => setWhole({ of: view, is: await load(more) })}>
          Show all of it ({Math.ceil(shown.size / 1024)} kB)
        </button>
      )}
    </>
  );
}
