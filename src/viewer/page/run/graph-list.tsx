/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { GraphInfo } from "../../../callbacks/graph-info.js";
import { titleOf } from "../../layout/card-size.js";
import { px } from "../parts/elements.js";
import { duration } from "../parts/format.js";
import { Icon, iconOf, kindOf } from "../parts/icon.js";
import { useRowWindow } from "../parts/row-window.js";
import { Dot } from "../parts/status.js";
import type { Moment } from "./moment.js";
import type { RunModel } from "./run-model.js";

interface GraphListProps {
  readonly info: GraphInfo;
  readonly name: string;
  readonly moment?: Moment | undefined;
  readonly selected: string | undefined;
  readonly children?: ComponentChildren;
  onSelect(row: string): void;
}

interface Item {
  readonly path: string;
  readonly title: string;
  readonly depth: number;
  readonly component: string;
  readonly type: string | undefined;
}

const rowHeight = 32;
const listTop = 50;

/** The nodes of a graph in the order of the run, those that have not run after them: for many nodes, and for whoever sees no picture. */
export function GraphList({ info, name, moment, selected, children, onSelect }: GraphListProps) {
  const ref = useRef<HTMLElement>(null);
  const run = moment?.run;
  const items = useMemo(() => itemsOf(info, run), [info, run]);
  const { first, end } = useRowWindow(ref, items.length, rowHeight, listTop);
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = event.target instanceof HTMLElement ? Number(event.target.dataset.index) : Number.NaN;
    if (step === undefined || items[at + step] === undefined) return;
    event.preventDefault();
    ref.current?.querySelector<HTMLElement>(`[data-index="${at + step}"]`)?.focus();
  };
  return (
    <section class="canvas as-list" aria-label={`Graph of ${name}`}>
      {children}
      <section class="node-list" ref={ref} onKeyDown={keys} tabIndex={-1} aria-label="Nodes">
        <ol style={{ paddingTop: px(first * rowHeight), minHeight: px(items.length * rowHeight) }}>
          {items.slice(first, end).map(({ path, title, depth, component, type }, index) => {
            const now = moment?.node(path);
            const status = now?.status ?? "idle";
            return (
              <li key={path}>
                <button
                  type="button"
                  class={`node-row${selected === path ? " sel" : ""}`}
                  data-index={first + index}
                  data-path={path}
                  tabIndex={first + index === 0 || selected === path ? 0 : -1}
                  aria-pressed={selected === path}
                  onClick={() => onSelect(path)}
                >
                  <span class={`lab depth-${Math.min(depth, 8)}`}>
                    <Icon name={iconOf(component, type)} size={13} />
                    <span class="cut">{title}</span>
                  </span>
                  <span class="t3">{kindOf(component, type)}</span>
                  {moment !== undefined && (
                    <>
                      <span class="num t2">{now !== undefined && status !== "idle" ? duration(now.ms) : ""}</span>
                      <span class="t2 status">
                        <Dot status={status} />
                        {status === "idle" ? "not run" : status}
                      </span>
                    </>
                  )}
                </button>
              </li>
            );
          })}
        </ol>
      </section>
    </section>
  );
}

function itemsOf(info: GraphInfo, run: RunModel | undefined): Item[] {
  const items: Item[] = [];
  const visit = ({ nodes }: GraphInfo, outer: string, depth: number): void => {
    const paths = nodes.map((node) => ({ node, path: outer === "" ? node.key : `${outer}/${node.key}` }));
    const startOf = (path: string): number => run?.byRow.get(path)?.[0]?.start ?? Number.POSITIVE_INFINITY;
    const byStart = run === undefined ? paths : paths.toSorted((a, b) => order(startOf(a.path), startOf(b.path)));
    for (const { node, path } of byStart) {
      items.push({ path, title: titleOf(node), depth, component: node.component, type: node.type });
      if (node.graph !== undefined) visit(node.graph, path, depth + 1);
    }
  };
  visit(info, "", 0);
  return items;
}

function order(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
