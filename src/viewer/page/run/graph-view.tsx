/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { GraphInfo } from "../../../callbacks/graph-info.js";
import { findNode, type Level, type LevelNode } from "../../layout/level.js";
import { px, trackPointer, useSize } from "../parts/elements.js";
import { Icon } from "../parts/icon.js";
import { nextNode } from "./graph-keys.js";
import { GraphLevel, type Sight } from "./graph-level.js";
import { GraphList } from "./graph-list.js";
import type { Moment } from "./moment.js";

interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

interface GraphViewProps {
  readonly info: GraphInfo;
  /** Absent for a graph that is too large for a picture: it is a list. */
  readonly level: Level | undefined;
  readonly name: string;
  readonly moment?: Moment | undefined;
  readonly selected: string | undefined;
  onSelect(row: string): void;
  /** The picture with these folded nodes open. */
  readonly loadLevel?: ((opened: readonly string[]) => Promise<Level>) | undefined;
  /** Stands over the picture, at the left. */
  readonly children?: ComponentChildren;
}

const headRoom = 50;

/** A graph as a picture, or as a list. */
export function GraphView({ info, level: given, loadLevel, children, ...rest }: GraphViewProps) {
  const [isList, setIsList] = useState(false);
  const { level, opened, open, fold } = useOpened(given, loadLevel);
  const switches = (
    <div class="why">
      {level !== undefined && (
        <button type="button" class="chip" aria-pressed={isList} onClick={() => setIsList(!isList)}>
          <Icon name="runs" size={12} />
          List
        </button>
      )}
      {opened.length > 0 && !isList && (
        <button type="button" class="chip" onClick={fold}>
          Fold {opened.length === 1 ? "it" : "all"} again
        </button>
      )}
      {children}
    </div>
  );
  if (level === undefined || isList) {
    return (
      <GraphList info={info} {...rest}>
        {switches}
      </GraphList>
    );
  }
  return (
    <GraphCanvas level={level} onOpen={loadLevel === undefined ? undefined : open} {...rest}>
      {switches}
    </GraphCanvas>
  );
}

/** Large inner graphs are folded until they are clicked. */
function useOpened(given: Level | undefined, load: GraphViewProps["loadLevel"]) {
  const [state, setState] = useState<{ readonly opened: readonly string[]; readonly level?: Level }>({ opened: [] });
  const open = async (path: string): Promise<void> => {
    const opened = [...state.opened, path];
    const level = await load?.(opened).catch(() => undefined);
    if (level !== undefined) setState({ opened, level });
  };
  return { level: state.level ?? given, opened: state.opened, open, fold: () => setState({ opened: [] }) };
}

interface CanvasProps extends Pick<GraphViewProps, "name" | "moment" | "selected" | "onSelect" | "children"> {
  readonly level: Level;
  onOpen: ((path: string) => void) | undefined;
}

/** A canvas that can be moved and zoomed. During a run it follows what is running, only as far as needed. */
function GraphCanvas({ level, name, moment, selected, onSelect, onOpen, children }: CanvasProps) {
  const { ref, width, height } = useSize<HTMLElement>();
  const [camera, setCamera] = useState<Camera>({ x: 0, y: headRoom, zoom: 1 });
  const [focused, setFocused] = useState<string | undefined>();
  const toFocus = useRef<string | undefined>(undefined);
  const first = useMemo(() => level.nodes.find(({ kind }) => kind !== "cap")?.path, [level]);
  const fit = useCallback(() => {
    if (width === 0 || level.width === 0) return;
    setCamera(fitted(level, width, height));
  }, [level, width, height]);
  useEffect(fit, [fit]);

  const active = moment?.isEnd === false ? moment.active : undefined;
  useEffect(() => {
    const node = active === undefined ? undefined : findNode(level, active);
    if (node !== undefined) setCamera((old) => following(old, node, width, height));
  }, [active, level, width, height]);

  const zoomBy = (factor: number, x = width / 2, y = height / 2): void =>
    setCamera((old) => {
      const zoom = Math.max(0.2, Math.min(2, old.zoom * factor));
      return { zoom, x: x - ((x - old.x) * zoom) / old.zoom, y: y - ((y - old.y) * zoom) / old.zoom };
    });
  useWheel(ref, zoomBy, setCamera);

  const press = (event: PointerEvent): void => {
    if (event.target instanceof Element && event.target.closest("button") !== null) return;
    const [x, y] = [event.clientX - camera.x, event.clientY - camera.y];
    trackPointer(event, (move) => setCamera((old) => ({ ...old, x: move.clientX - x, y: move.clientY - y })));
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "+" || event.key === "-") {
      zoomBy(event.key === "+" ? 1.25 : 0.8);
      event.preventDefault();
      return;
    }
    const target = event.target instanceof HTMLElement ? event.target.dataset.path : undefined;
    const next = target === undefined ? undefined : nextNode(level, target, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setFocused(next);
    toFocus.current = next;
    const node = findNode(level, next.split("#")[0] ?? next);
    if (node !== undefined) setCamera((old) => following(old, node, width, height));
  };

  // it may have been out of sight, and so not drawn before
  useLayoutEffect(() => {
    if (toFocus.current === undefined) return;
    const element = ref.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(toFocus.current)}"]`);
    toFocus.current = undefined;
    element?.focus({ preventScroll: true });
  });
  const sight = useSight(camera, width, height);
  const select = useCallback(
    (row: string) => {
      setFocused(row);
      onSelect(row);
    },
    [onSelect],
  );
  const picture = useMemo(
    () => (
      <GraphLevel
        level={level}
        moment={moment}
        selected={selected}
        focused={focused ?? first}
        sight={sight}
        onSelect={select}
        onOpen={onOpen}
      />
    ),
    [level, moment, selected, focused, first, sight, select, onOpen],
  );

  return (
    <section
      class={`canvas${moment === undefined ? "" : " ran"}`}
      ref={ref}
      onPointerDown={press}
      onKeyDown={keys}
      aria-label={`Graph of ${name}`}
    >
      <div
        class="world"
        style={{
          transform: `translate(${px(camera.x)}, ${px(camera.y)}) scale(${camera.zoom})`,
          width: px(level.width),
          height: px(level.height),
        }}
      >
        {picture}
      </div>
      {children}
      <div class="zoom">
        <button type="button" aria-label="Zoom out" onClick={() => zoomBy(0.8)}>
          −
        </button>
        <button type="button" class="num percent" onClick={fit}>
          {Math.round(camera.zoom * 100)}%<span class="sr"> fit the graph</span>
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => zoomBy(1.25)}>
          +
        </button>
      </div>
    </section>
  );
}

const cell = 400;

/** What is on the screen and around it: it changes only every 400 pixels, so that moving the picture draws nothing anew. */
function useSight({ x, y, zoom }: Camera, width: number, height: number): Sight {
  const left = (Math.floor(-x / zoom / cell) - 1) * cell;
  const top = (Math.floor(-y / zoom / cell) - 1) * cell;
  const right = (Math.ceil((width - x) / zoom / cell) + 1) * cell;
  const bottom = (Math.ceil((height - y) / zoom / cell) + 1) * cell;
  return useMemo(() => ({ left, top, right, bottom }), [left, top, right, bottom]);
}

/** Fits the width, but not below 80 %: cards stay readable, and targets 24 pixels. What is wider begins where the run does. */
function fitted(level: Level, width: number, height: number): Camera {
  const room = { width: width - 48, height: height - headRoom - 22 };
  const zoom = Math.max(0.8, Math.min(1, room.width / level.width, room.height / level.height));
  const y = Math.max(headRoom, (height - level.height * zoom) / 2 + 8);
  const free = width - level.width * zoom;
  const x = free >= 48 ? free / 2 : Math.max(free - 24, Math.min(24, width / 2 - level.inX * zoom));
  return { zoom, x, y };
}

function following(camera: Camera, node: LevelNode, width: number, height: number): Camera {
  const along = (offset: number, at: number, size: number, from: number, to: number): number => {
    const start = at * camera.zoom + offset;
    const end = start + size * camera.zoom;
    if (start < from || size * camera.zoom > to - from) return offset + from - start;
    return end > to ? offset - (end - to) : offset;
  };
  const x = along(camera.x, node.x, node.width, 16, width - 16);
  const y = along(camera.y, node.y, node.height, headRoom + 24, height - 40);
  return x === camera.x && y === camera.y ? camera : { ...camera, x, y };
}

/** Not as an attribute: the wheel must not scroll the page, and only listeners that are not passive may stop it. */
function useWheel(
  ref: { readonly current: HTMLElement | null },
  zoomBy: (factor: number, x: number, y: number) => void,
  setCamera: (change: (old: Camera) => Camera) => void,
): void {
  const latest = useRef(zoomBy);
  latest.current = zoomBy;
  useEffect(() => {
    const element = ref.current;
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element?.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) {
        latest.current(
          Math.exp(-event.deltaY / 300),
          event.clientX - (box?.left ?? 0),
          event.clientY - (box?.top ?? 0),
        );
      } else {
        setCamera((old) => ({ ...old, x: old.x - event.deltaX, y: old.y - event.deltaY }));
      }
    };
    element?.addEventListener("wheel", wheel, { passive: false });
    return () => element?.removeEventListener("wheel", wheel);
  }, [ref, setCamera]);
}
