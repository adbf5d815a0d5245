/** @jsxImportSource preact */
import { render } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { About } from "../api.js";
import { Client, messageOf, takeToken } from "./client.js";
import { Live, type LiveListener, poll } from "./live.js";
import { nameControls } from "./parts/name-controls.js";
import { applyTheme } from "./parts/theme.js";
import { readRoute } from "./route.js";
import { loadEarly, runPath } from "./run/load-run.js";
import { type Session, SessionProvider } from "./session.js";
import { Shell } from "./shell.js";

/** Asks who is looking, and shows the page. */
function Page({ client }: { readonly client: Client }) {
  const [about, setAbout] = useState<About | undefined>();
  const [failure, setFailure] = useState<string | undefined>();
  useEffect(() => {
    client.get<About>("about").then(setAbout, (error: unknown) => setFailure(messageOf(error)));
  }, [client]);
  if (failure !== undefined) {
    return (
      <main class="empty">
        <h1>Kumiko cannot be shown</h1>
        <p>{failure}</p>
      </main>
    );
  }
  if (about === undefined) return <main class="empty" aria-busy="true" />;
  return <Ready client={client} about={about} onAbout={setAbout} />;
}

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
}

interface ReadyProps {
  readonly client: Client;
  readonly about: About;
  onAbout(about: About): void;
}

function Ready({ client, about, onAbout }: ReadyProps) {
  const [notices, setNotices] = useState<readonly Notice[]>(() =>
    about.notices.map((text, id) => ({ id: -1 - id, text, isFailure: false })),
  );
  const subscribe = useEvents(client, about.isLive);
  const dismiss = (id: number): void => setNotices((old) => old.filter((notice) => notice.id !== id));
  const say = useCallback((text: string, isFailure = false) => {
    const id = performance.now();
    setNotices((old) => [...old.slice(-3), { id, text, isFailure }]);
    if (!isFailure) setTimeout(() => setNotices((old) => old.filter((notice) => notice.id !== id)), 6_000);
  }, []);
  useEffect(
    () =>
      subscribe((event) => {
        if (event.type === "notice") say(event.text);
        // the process of kumiko dev has started, or started again: its apps may be others
        if (event.type === "dev" && event.state.status === "running") {
          client.get<About>("about").then(onAbout, (error: unknown) => say(messageOf(error), true));
        }
      }),
    [subscribe, say, client, onAbout],
  );
  const session = useMemo((): Session => ({ client, about, subscribe, say }), [client, about, subscribe, say]);
  return (
    <SessionProvider value={session}>
      <Shell />
      <div class="notices" role="status" aria-live="polite">
        {notices.map(({ id, text, isFailure }) => (
          <div key={id} class={`notice${isFailure ? " failure" : ""}`}>
            <span>{text}</span>
            <button type="button" class="link" onClick={() => dismiss(id)}>
              Close
            </button>
          </div>
        ))}
      </div>
    </SessionProvider>
  );
}

/** The server's events; where there are none, the page asks again now and then. */
function useEvents(client: Client, isLive: boolean): (listener: LiveListener) => () => void {
  const live = useMemo(() => new Live(client), [client]);
  useEffect(() => {
    if (isLive) void live.run();
  }, [live, isLive]);
  return useCallback((listener) => (isLive ? live.subscribe(listener) : poll(listener)), [live, isLive]);
}

const base = document.body.dataset.base ?? "/";
const root = document.getElementById("app");
applyTheme();
nameControls();
const client = new Client(base, takeToken(base));
const route = readRoute(location.hash);
if (route.view === "run") loadEarly(client, runPath(route.ref));
if (root !== null) render(<Page client={client} />, root);
