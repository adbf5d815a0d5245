import { createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import type { About, LiveEvent, QuestionList } from "../api.js";
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
  // what changes while it is loaded may have come too late for what comes
  const [loading] = useState<{ name?: string; changes?: ((data: Data) => Data)[] | undefined }>({});
  useEffect(() => {
    let isCurrent = true;
    const changes: ((data: Data) => Data)[] = [];
    loading.changes = changes;
    loading.name = name;
    const settle = (result: (old: typeof state) => typeof state): void => {
      if (!isCurrent) return;
      loading.changes = undefined;
      setState(result);
    };
    load().then(
      (data) => {
        const loaded = { name, data: changes.reduce((old, update) => update(old), data) };
        settle(() => loaded);
        // a newer load may be under way: until that is there, this is better than nothing
        if (loading.name === name) setState((old) => (old.name === name && old.data !== undefined ? old : loaded));
      },
      (error: unknown) => settle((old) => ({ ...old, name, error: messageOf(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, round]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  const change = useCallback((update: (data: Data) => Data) => {
    loading.changes?.push(update);
    setState((old) => (old.data === undefined ? old : { ...old, data: update(old.data) }));
  }, []);
  const isOwn = state.name === name;
  return { data: isOwn ? state.data : undefined, error: isOwn ? state.error : undefined, reload, change };
}

/** Calls `reload` for events that it is due for: at once, and then at most once in 500 ms, however much happens. */
export function useReload(isDue: (event: LiveEvent) => boolean, reload: () => void): void {
  const [state] = useState({ isDue, timer: 0, isPending: false });
  state.isDue = isDue;
  useEffect(() => () => clearTimeout(state.timer), [state]);
  useLive((event) => {
    if (!state.isDue(event)) return;
    state.isPending = true;
    if (state.timer !== 0) return;
    const run = (): void => {
      state.timer = 0;
      if (!state.isPending) return;
      state.isPending = false;
      state.timer = window.setTimeout(run, 500);
      reload();
    };
    run();
  });
}

/** The open questions, kept up to date. */
export function useQuestions(): Loaded<QuestionList> {
  const { client } = useSession();
  const loaded = useLoaded<QuestionList>("questions", () => client.get("questions"));
  useReload((event) => {
    if (event.type !== "run") return event.type === "questions" || event.type === "open";
    // answered elsewhere, or cancelled
    const isAsking = loaded.data?.questions.some(({ run }) => run.ref === event.run.ref);
    return isAsking === true && event.run.status !== "waiting";
  }, loaded.reload);
  return loaded;
}

/** Calls `listener` with the events of some milliseconds at a time, so that much that happens is drawn once. */
export function useLiveBatches(isDue: (event: LiveEvent) => boolean, listener: (events: LiveEvent[]) => void): void {
  const [state] = useState<{ events: LiveEvent[]; timer: number }>({ events: [], timer: 0 });
  useEffect(() => () => clearTimeout(state.timer), [state]);
  useLive((event) => {
    if (!isDue(event)) return;
    if (state.events.push(event) > 1) return;
    state.timer = window.setTimeout(() => listener(state.events.splice(0)), 30);
  });
}

/** Calls `listener` for events of the server. */
export function useLive(listener: (event: LiveEvent) => void): void {
  const { subscribe } = useSession();
  const [latest] = useState({ listener });
  latest.listener = listener;
  useEffect(() => subscribe((event) => latest.listener(event)), [subscribe, latest]);
}
