/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import type { RunList } from "../api.js";
import { DevBanner } from "./dev-banner.js";
import { Dialog } from "./parts/dialog.js";
import { isTyping } from "./parts/elements.js";
import { age, count } from "./parts/format.js";
import { Icon, type IconName, iconOf, Logo } from "./parts/icon.js";
import { Dot } from "./parts/status.js";
import { addressOf, type Route, useRoute } from "./route.js";
import { useLoaded, useQuestions, useReload, useSession } from "./session.js";
import { AppView } from "./views/app-view.js";
import { AppsView } from "./views/apps-view.js";
import { InboxView } from "./views/inbox-view.js";
import { RunView } from "./views/run-view.js";
import { RunsView } from "./views/runs-view.js";

/** The sidebar, and the view that the address names. */
export function Shell() {
  const route = useRoute();
  const [isHelp, setIsHelp] = useState(false);
  useEffect(() => {
    const keys = (event: KeyboardEvent): void => {
      if (event.key === "?" && !isTyping(event)) setIsHelp(true);
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
  return (
    <div class="app">
      <Sidebar route={route} />
      <main class="main">
        <div class="strips">
          <DevBanner />
        </div>
        <View route={route} />
      </main>
      {isHelp && <KeysDialog onClose={() => setIsHelp(false)} />}
    </div>
  );
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case "inbox":
      return <InboxView picked={route.question} />;
    case "runs":
      return <RunsView />;
    case "run":
      return <RunView key={route.ref} runRef={route.ref} />;
    case "apps":
      return <AppsView />;
    case "app":
      return <AppView key={route.key} appKey={route.key} />;
    default:
      return route satisfies never;
  }
}

function Sidebar({ route }: { readonly route: Route }) {
  const { client, about } = useSession();
  const questions = useQuestions();
  const recent = useLoaded<RunList>("recent", () => client.get("runs", { limit: "6" }));
  useReload(({ type }) => type === "run" || type === "open", recent.reload);
  const waiting = questions.data?.questions.length ?? 0;
  const isRuns = route.view === "runs" || route.view === "run";
  return (
    <nav class="side" aria-label="Kumiko">
      <div class="brand">
        <Logo />
        kumiko
      </div>
      <NavLink to={{ view: "inbox" }} icon="inbox" label="Inbox" isCurrent={route.view === "inbox"}>
        {waiting > 0 && (
          <span class="n hot num">
            {count(waiting)}
            <span class="sr"> questions wait</span>
          </span>
        )}
      </NavLink>
      <NavLink to={{ view: "runs" }} icon="runs" label="Runs" isCurrent={isRuns} />
      {about.apps.length > 0 && (
        <span class="only-small">
          <NavLink
            to={{ view: "apps" }}
            icon="graph"
            label="Apps"
            isCurrent={route.view === "app" || route.view === "apps"}
          />
        </span>
      )}
      {about.apps.length > 0 && <h2 class="apps">Apps</h2>}
      <div class="apps">
        {about.apps.map(({ key, component }) => (
          <NavLink
            key={key}
            to={{ view: "app", key }}
            icon={iconOf(component)}
            label={key}
            isCurrent={route.view === "app" && route.key === key}
          />
        ))}
      </div>
      {(recent.data?.runs.length ?? 0) > 0 && <h2 class="apps">Recent</h2>}
      <div class="apps">
        {recent.data?.runs.map(({ ref, app, graph, status, since }) => (
          <a
            key={ref}
            class="nav"
            href={addressOf({ view: "run", ref })}
            aria-current={route.view === "run" && route.ref === ref ? "page" : undefined}
          >
            <Dot status={status} isNamed />
            <span class="cut">{app ?? graph}</span>
            <span class="n num">{age(since, Date.now())}</span>
          </a>
        ))}
      </div>
      <span class="grow" />
      <div class="side-foot">
        {about.user !== undefined && <span class="cut">{about.user}</span>}
        <span class="keys">
          <kbd>?</kbd> keys
        </span>
      </div>
    </nav>
  );
}

interface NavLinkProps {
  readonly to: Route;
  readonly icon: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly children?: preact.ComponentChildren;
}

function NavLink({ to, icon, label, isCurrent, children }: NavLinkProps) {
  return (
    <a class="nav" href={addressOf(to)} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} />
      <span class="cut">{label}</span>
      {children}
    </a>
  );
}

const keys: readonly (readonly [string, string])[] = [
  ["J, K", "next and previous question"],
  ["Ctrl Enter, ⌘ Enter", "send the form"],
  ["/", "search runs"],
  ["← →", "previous and next save of a run"],
  ["Home, End", "begin and end of a run"],
  ["Space", "play, pause"],
  ["↑ ↓ ← →", "in the graph: along edges; in the timeline: rows"],
  ["+ −", "in the graph: zoom"],
  ["Enter", "choose a node"],
  ["Escape", "close, choose nothing"],
  ["?", "this list"],
];

function KeysDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="kv key-list">
        {keys.map(([key, what]) => (
          <KeyRow key={key} name={key} what={what} />
        ))}
      </dl>
    </Dialog>
  );
}

function KeyRow({ name, what }: { readonly name: string; readonly what: string }) {
  return (
    <>
      <dt>
        <kbd>{name}</kbd>
      </dt>
      <dd>{what}</dd>
    </>
  );
}
