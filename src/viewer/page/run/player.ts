import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isTyping } from "../parts/elements.js";
import { makeAxis } from "./axis.js";
import type { RunModel } from "./run-model.js";

/** The moment that is shown, and what moves it. */
export interface Player {
  readonly time: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  moveTo(time: number): void;
  /** To the next or previous save; without saves, start of a span. */
  step(direction: 1 | -1): void;
  toggle(): void;
  setSpeed(speed: number): void;
  keys(event: KeyboardEvent): void;
}

/** Stays at the end of a run that goes on, until it is moved. */
export function usePlayer(run: RunModel, initial?: number): Player {
  const [moved, setMoved] = useState<number | undefined>(initial);
  const [isPlaying, setIsPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const time = Math.min(moved ?? run.end, run.end);
  const latest = useRef({ run, time });
  latest.current = { run, time };
  usePlaying(isPlaying, speed, latest, setMoved, setIsPlaying);

  const moveTo = useCallback((to: number) => {
    const { end } = latest.current.run;
    setMoved(to >= end ? undefined : Math.max(0, to));
  }, []);
  const step = useCallback(
    (direction: 1 | -1) => {
      const stops = stopsOf(latest.current.run);
      const at = latest.current.time;
      const next = direction > 0 ? stops.find((stop) => stop > at) : stops.findLast((stop) => stop < at);
      moveTo(next ?? (direction > 0 ? latest.current.run.end : 0));
    },
    [moveTo],
  );
  const toggle = useCallback(() => {
    if (!isPlaying && latest.current.time >= latest.current.run.end) setMoved(0);
    setIsPlaying(!isPlaying);
  }, [isPlaying]);
  const keys = useCallback(
    (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event)) return;
      const moves: Readonly<Record<string, () => void>> = {
        ArrowLeft: () => step(-1),
        ArrowRight: () => step(1),
        Home: () => moveTo(0),
        End: () => moveTo(Number.POSITIVE_INFINITY),
        " ": toggle,
      };
      const move = moves[event.key];
      if (move === undefined) return;
      event.preventDefault();
      move();
    },
    [step, moveTo, toggle],
  );
  return { time, isPlaying, speed, moveTo, step, toggle, setSpeed, keys };
}

function stopsOf({ saves, spans }: RunModel): number[] {
  const times = saves.length > 0 ? saves.map(({ time }) => time) : spans.map(({ start }) => start);
  return [...new Set(times)].sort((a, b) => a - b);
}

/** Time passes at this speed; folds are skipped. */
function usePlaying(
  isPlaying: boolean,
  speed: number,
  latest: { readonly current: { readonly run: RunModel; readonly time: number } },
  setMoved: (time: number | undefined) => void,
  setIsPlaying: (is: boolean) => void,
): void {
  useEffect(() => {
    if (!isPlaying) return undefined;
    const { parts } = makeAxis(latest.current.run, 1_000);
    let before = performance.now();
    let frame = requestAnimationFrame(function tick(now) {
      const { run, time } = latest.current;
      const fold = parts.find((part) => part.isFold && time >= part.from && time < part.to);
      const next = fold === undefined ? time + (now - before) * speed : fold.to;
      before = now;
      if (next >= run.end) {
        setMoved(undefined);
        setIsPlaying(false);
        return;
      }
      setMoved(next);
      frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, latest, setMoved, setIsPlaying]);
}
