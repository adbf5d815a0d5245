/** @jsxImportSource preact */
import { Fragment } from "preact";
import { barWidth, barX, isCut, titleOf } from "../../layout/card-size.js";
import { labelText } from "../../layout/labels.js";
import type { Level, LevelEdge, LevelNode } from "../../layout/level.js";
import { px } from "../parts/elements.js";
import { duration } from "../parts/format.js";
import { Icon, iconOf, kindOf } from "../parts/icon.js";
import type { Moment, NodeMoment } from "./moment.js";
import { timesOf } from "./row-times.js";

export interface GraphState {
  /** Absent for the graph of an app, which no run is shown of. */
  readonly moment: Moment | undefined;
  readonly selected: string | undefined;
  /** The node with the focus of the keyboard. */
  readonly focused: string | undefined;
  /** What is on the screen, in pixels of the whole picture: only that is drawn. */
  readonly sight: Sight;
  onSelect(row: string): void;
  /** Opens a node whose inner graph is folded. */
  onOpen?: ((path: string) => void) | undefined;
}

export interface Sight {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface LevelProps extends GraphState {
  readonly level: Level;
}

/** The cards and lines of one graph, and in its boxes those of inner ones. */
export function GraphLevel({ level, ...state }: LevelProps) {
  const { sight, focused = "" } = state;
  const nodes = level.nodes.filter(
    (node) => isSeen(boundsOf(node), sight) || `${focused}/`.startsWith(`${node.path}/`),
  );
  const edges = level.edges.filter((edge) => isSeen(reachOf(edge), sight));
  return (
    <>
      <Lines level={level} edges={edges} moment={state.moment} />
      {edges.map((edge) => (
        <Label key={`${edge.from} ${edge.to}`} edge={edge} />
      ))}
      {nodes.map((node) => (
        <NodeView key={node.path} node={node} {...state} />
      ))}
    </>
  );
}

function isSeen({ left, top, right, bottom }: Sight, sight: Sight): boolean {
  return right >= sight.left && left <= sight.right && bottom >= sight.top && top <= sight.bottom;
}

function boundsOf({ x, y, width, height }: LevelNode): Sight {
  return { left: x, top: y, right: x + width, bottom: y + height };
}

const reaches = new WeakMap<LevelEdge, Sight>();

function reachOf(edge: LevelEdge): Sight {
  const known = reaches.get(edge);
  if (known !== undefined) return known;
  const { points, label } = edge;
  const all =
    label === undefined ? points : [...points, { x: label.x - 80, y: label.y }, { x: label.x + 80, y: label.y }];
  const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)];
  const reach = { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
  reaches.set(edge, reach);
  return reach;
}

interface LinesProps {
  readonly level: Level;
  readonly edges: readonly LevelEdge[];
  readonly moment: Moment | undefined;
}

function Lines({ level, edges: seen, moment }: LinesProps) {
  const edges = seen.map((edge) => ({ edge, isTaken: moment?.isTaken(edge, level) === true }));
  // what was taken lies above
  edges.sort((a, b) => Number(a.isTaken) - Number(b.isTaken));
  return (
    <svg class="lines" width={level.width} height={level.height} aria-hidden="true">
      {edges.map(({ edge, isTaken }) => {
        const look = `${edge.kind}${isTaken ? " on" : moment === undefined ? "" : " off"}`;
        return (
          <Fragment key={`${edge.from} ${edge.to}`}>
            <path class={`edge ${look}`} d={edge.d} />
            {hasHead(edge) && <path class={`tip ${look}`} d={tipOf(edge)} />}
            {isTaken && moment !== undefined && isFresh(edge, moment) && <path class="flow" d={edge.d} />}
          </Fragment>
        );
      })}
    </svg>
  );
}

/** The line out of an inner graph ends on the border, where the next one begins. */
function hasHead({ to }: LevelEdge): boolean {
  return !to.endsWith("/end");
}

function tipOf({ points }: LevelEdge): string {
  const [end, before] = [points.at(-1), points.at(-2)];
  if (end === undefined || before === undefined) return "";
  const [x, y] = [Math.sign(end.x - before.x), Math.sign(end.y - before.y)];
  const corner = (side: number): string => `${end.x - x * 5.5 - y * side * 3.2} ${end.y - y * 5.5 + x * side * 3.2}`;
  return `M${corner(1)}L${end.x} ${end.y}L${corner(-1)}`;
}

/** A dash runs along an edge that has just delivered. */
function isFresh({ to }: LevelEdge, { run, time, isEnd }: Moment): boolean {
  const last = isEnd ? undefined : timesOf(run.byRow.get(to) ?? []).last(time);
  return last !== undefined && time - last.start < 350;
}

function Label({ edge }: { readonly edge: LevelEdge }) {
  if (edge.label === undefined) return null;
  const style = { left: px(edge.label.x), top: px(edge.label.y) };
  return (
    <span class="tag" style={style} title={edge.labels.join("\n")}>
      {labelText(edge.labels)}
    </span>
  );
}

function NodeView({ node, ...state }: GraphState & { readonly node: LevelNode }) {
  const style = { left: px(node.x), top: px(node.y), width: px(node.width), height: px(node.height) };
  if (node.kind === "cap") {
    const isOn = state.moment?.statusOf(node.path) === "done";
    return (
      <div class={`cap${isOn ? " on" : ""}`} style={style}>
        {node.key}
      </div>
    );
  }
  if (node.kind === "tools") return <Tools node={node} style={style} {...state} />;
  return node.inner === undefined ? (
    <Card node={node} style={style} {...state} />
  ) : (
    <Box node={node} style={style} {...state} />
  );
}

interface PlacedProps extends GraphState {
  readonly node: LevelNode;
  readonly style: Readonly<Record<string, string>>;
}

/** Only one of all nodes is in the order of Tab; arrows lead to the others. */
function focusProps({ path }: LevelNode, { focused, selected, onSelect }: GraphState) {
  return {
    type: "button" as const,
    "data-path": path,
    tabIndex: focused === path ? 0 : -1,
    "aria-pressed": selected === path,
    onClick: () => onSelect(path),
  };
}

function Card({ node, style, ...state }: PlacedProps) {
  const info = node.node;
  const now = state.moment?.node(node.path);
  const status = now?.status ?? "idle";
  const title = info === undefined ? node.key : titleOf(info);
  const kind = kindOf(info?.component ?? "lambda", info?.type);
  const isSelected = state.selected === node.path;
  return (
    <button
      class={`node st-${status} k-${info?.component}${isSelected ? " sel" : ""}`}
      style={style}
      {...focusProps(node, state)}
      onClick={() => {
        state.onSelect(node.path);
        if (node.folded !== undefined) state.onOpen?.(node.path);
      }}
    >
      <span class="ico">
        <Icon name={status === "waiting" ? "ask" : iconOf(info?.component ?? "lambda", info?.type)} />
      </span>
      <span class="name cut">{title}</span>
      <span class="sub cut">{subtitle(now, kind, node)}</span>
      <span class="right num">
        {now !== undefined && status !== "idle" && status !== "waiting" && (
          <>
            {now.visits > 1 && <span class="t3">×{now.visits}</span>}
            {duration(now.ms)}
          </>
        )}
        <span class="sr">{wordOf(status, state.moment)}</span>
      </span>
    </button>
  );
}

function subtitle(now: NodeMoment | undefined, kind: string, { folded, node }: LevelNode): string {
  const { status, retries = 0 } = now ?? {};
  if (status === "waiting") return "waits for an answer";
  if (status === "running" || status === "failed") return status;
  if (folded !== undefined) return `${folded} nodes`;
  if (retries > 0) return `${retries + 1} tries`;
  // provider/model says more
  return node?.component === "model" && node.type?.includes("/") ? node.type : kind;
}

function wordOf(status: string, moment: Moment | undefined): string {
  if (status !== "idle") return status;
  return moment?.isEnd === true ? "skipped" : "not run";
}

function Box({ node, style, ...state }: PlacedProps) {
  const { inner, node: info } = node;
  if (inner === undefined || info === undefined) return null;
  const now = state.moment?.node(node.path);
  const status = now?.status ?? "idle";
  const isAgent = info.component === "agent" || inner.level.nodes.some(({ kind }) => kind === "tools");
  const isEach = info.type === "each";
  const title = titleOf(info);
  const kind = isAgent ? "agent" : isEach ? "each" : "graph";
  const look = `st-${status}${isEach ? " each" : ""}${state.selected === node.path ? " sel" : ""}`;
  return (
    <div class={`box ${look}`} style={style}>
      <button
        class={`bar st-${status} k-${isAgent ? "agent" : info.component}`}
        style={{ left: px(barX(title, inner.level)), maxWidth: isCut(title) ? px(barWidth(title)) : "none" }}
        {...focusProps(node, state)}
      >
        <span class="ico">
          <Icon name={isAgent ? "agent" : isEach ? "each" : "graph"} size={13} />
        </span>
        <span class="cut">{title}</span>
        <span class="bar-kind">
          {kind}
          {now !== undefined && now.ms > 1 && ` · ${duration(now.ms)}`}
          <span class="sr"> {wordOf(status, state.moment)}</span>
        </span>
      </button>
      <div class="inside" style={{ left: px(inner.x), top: px(inner.y) }}>
        <GraphLevel level={inner.level} {...state} sight={movedBy(state.sight, node.x + inner.x, node.y + inner.y)} />
      </div>
    </div>
  );
}

function movedBy({ left, top, right, bottom }: Sight, x: number, y: number): Sight {
  return { left: left - x, top: top - y, right: right - x, bottom: bottom - y };
}

function Tools({ node, style, ...state }: PlacedProps) {
  const now = state.moment?.node(node.path);
  const status = now?.status ?? "idle";
  return (
    <div class={`toolbox st-${status}${state.selected === node.path ? " sel" : ""}`} style={style}>
      <button class={`th st-${status} k-tools_node`} {...focusProps(node, state)}>
        <span class="ico">
          <Icon name="tool" size={13} />
        </span>
        tools
        <span class="bar-kind num">
          {now !== undefined && now.visits > 1 && `×${now.visits}`}
          <span class="sr"> {wordOf(status, state.moment)}</span>
        </span>
      </button>
      {node.tools?.map(({ name, approval }) => {
        const row = `${node.path}#${name}`;
        const call = state.moment?.node(row);
        const word = call?.status ?? "idle";
        return (
          <button
            key={name}
            type="button"
            class={`trow ${word}${state.selected === row ? " sel" : ""}`}
            data-path={row}
            tabIndex={state.focused === row ? 0 : -1}
            aria-pressed={state.selected === row}
            onClick={() => state.onSelect(row)}
          >
            <span class="b" />
            <span class="cut">{name}</span>
            <span class="d num">
              {word === "waiting" ? "asks" : call && call.ms > 0 ? duration(call.ms) : approval ? "approval" : ""}
              <span class="sr"> {wordOf(word, state.moment)}</span>
            </span>
          </button>
        );
      })}
    </div>
  );
}
