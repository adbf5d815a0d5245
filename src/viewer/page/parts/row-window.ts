import { useEffect, useState } from "preact/hooks";

/** The rows of a long list that are in sight, and some above and below: only they are drawn. */
export interface RowWindow {
  readonly first: number;
  /** One after the last. */
  readonly end: number;
}

/** Rows are added so many at a time, so that not each pixel of scrolling draws anew. */
const step = 16;

/** `height` is that of a row, in pixels, and `top` where the first one begins in the element that scrolls. */
export function useRowWindow(
  ref: { readonly current: HTMLElement | null },
  count: number,
  height: number,
  top = 0,
): RowWindow {
  const [seen, setSeen] = useState<RowWindow>({ first: 0, end: step * 2 });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const read = (): void => {
      const from = Math.floor((element.scrollTop - top) / height / step) - 1;
      const to = Math.ceil((element.scrollTop - top + element.clientHeight) / height / step) + 1;
      const next = { first: Math.max(0, from * step), end: to * step };
      setSeen((old) => (old.first === next.first && old.end === next.end ? old : next));
    };
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener("scroll", read, { passive: true });
    read();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", read);
    };
  }, [ref, height, top]);
  const first = Math.min(seen.first, Math.max(0, Math.floor((count - 1) / step) * step));
  return { first, end: Math.min(count, Math.max(seen.end, first + step)) };
}
