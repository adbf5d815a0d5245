import { createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import type { About, LiveEvent } from "../api.js";
import { type Client, messageOf } from "./client.js";
import type { LiveListener } from "./live.js";

/** What all views use. */
export interface Session {
  readonly client: Client;
  readonly about: About;
  subscribe(listener: LiveListener): () => void;
  /** Says something to screen readers, and at the edge of the page. */
  say(text: string, isFailure?: boolean): void;
}

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("The view is outside of the session.");
  return session;
}

export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: string | undefined;
  reload(): void;
  change(update: (data: Data) => Data): void;
}

/** Loads something, again whenever `name` changes. What was there stays until the new comes. */
export function useLoaded<Data>(name: string, load: () => Promise<Data>): Loaded<Data> {
  const [state, setState] = useState<{ name: string; data?: Data; error?: string }>({ name });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (data) => isCurrent && setState({ name, data }),
      (error: unknown) => isCurrent && setState((old) => ({ ...old, name, error: messageOf(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, round]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  const change = useCallback((update: (data: Data) => Data) => {
    setState((old) => (old.data === undefined ? old : { ...old, data: update(old.data) }));
  }, []);
  const isOwn = state.name === name;
  return { data: isOwn ? state.data : undefined, error: isOwn ? state.error : undefined, reload, change };
}

/** Calls `listener` for events of the server. */
export function useLive(listener: (event: LiveEvent) => void): void {
  const { subscribe } = useSession();
  const [latest] = useState({ listener });
  latest.listener = listener;
  useEffect(() => subscribe((event) => latest.listener(event)), [subscribe, latest]);
}
