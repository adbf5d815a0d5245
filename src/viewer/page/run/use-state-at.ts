import { useEffect, useState } from "preact/hooks";
import type { StateView } from "../../api.js";

/** Reads the state of a graph, or the output of a node, at a save. */
export type ReadState = (entry: string, path: string) => Promise<StateView>;

export interface Found {
  readonly state?: StateView;
  readonly error?: string;
}

const kept = 64;

/** 100 ms after the last move, so that scrubbing does not ask for each save. */
export function useStateAt(entry: string | undefined, path: string, read: ReadState | undefined): Found | undefined {
  const [cache] = useState(() => new Map<string, Found>());
  const [last] = useState<{ found?: Found }>({});
  const [, setCount] = useState(0);
  const name = `${entry} ${path}`;
  useEffect(() => {
    if (entry === undefined || read === undefined || cache.has(name)) return undefined;
    const timer = setTimeout(async () => {
      const found = await read(entry, path).then(
        (state): Found => ({ state }),
        (error: unknown): Found => ({ error: error instanceof Error ? error.message : String(error) }),
      );
      cache.set(name, found);
      const [oldest] = cache.keys();
      if (cache.size > kept && oldest !== undefined) cache.delete(oldest);
      setCount((old) => old + 1);
    }, 100);
    return () => clearTimeout(timer);
  }, [entry, path, name, read, cache]);
  const found = cache.get(name);
  // while it is read, what was there before stays
  if (found !== undefined) last.found = found;
  return entry === undefined ? undefined : (found ?? last.found);
}
