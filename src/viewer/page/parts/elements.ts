import { useEffect, useRef, useState } from "preact/hooks";

export const px = (value: number): string => `${value}px`;

/** The size of an element, kept up to date. */
export function useSize<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const read = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(read);
    observer.observe(element);
    read();
    return () => observer.disconnect();
  }, []);
  return { ref, ...size };
}

/** Whether the screen is that of a phone. */
export function useIsSmall(): boolean {
  const [query] = useState(() => matchMedia("(max-width: 720px)"));
  const [isSmall, setIsSmall] = useState(query.matches);
  useEffect(() => {
    const read = (): void => setIsSmall(query.matches);
    query.addEventListener("change", read);
    return () => query.removeEventListener("change", read);
  }, [query]);
  return isSmall;
}

/** Calls `move` with each position of the pointer until it is released. */
export function trackPointer(event: PointerEvent, move: (event: PointerEvent) => void): void {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  addEventListener("pointermove", move, { signal: stop.signal });
  addEventListener("pointerup", end, { signal: stop.signal });
  addEventListener("pointercancel", end, { signal: stop.signal });
  move(event);
}

/** Whether a key press belongs to what the person types. */
export function isTyping(event: KeyboardEvent): boolean {
  return (
    event.target instanceof HTMLElement && event.target.closest("input, textarea, select, [contenteditable]") !== null
  );
}
