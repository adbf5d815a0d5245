/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { QuestionView, ValueView } from "../../api.js";
import type { Level } from "../../layout/level.js";
import { isTyping, useIsSmall } from "../parts/elements.js";
import { Conversation, type LoadTurns } from "./conversation.js";
import { Details } from "./details.js";
import { GraphView } from "./graph-view.js";
import { Jumps } from "./jumps.js";
import { Log } from "./log.js";
import type { Moment } from "./moment.js";
import type { Player } from "./player.js";
import type { RunTab } from "./run-tab.js";
import { StateTab } from "./state-tab.js";
import { Timeline } from "./timeline.js";
import type { ReadState } from "./use-state-at.js";

interface RunBodyProps {
  readonly moment: Moment;
  readonly player: Player;
  readonly level: Level | undefined;
  readonly selected: string | undefined;
  readonly tab: RunTab;
  onSelect(row: string | undefined): void;
  onTab(tab: RunTab): void;
  readonly answer?: ((question: QuestionView) => ComponentChildren) | undefined;
  readonly readState?: ReadState | undefined;
  readonly load?: ((more: string) => Promise<ValueView>) | undefined;
  readonly loadTurns?: LoadTurns | undefined;
  readonly loadLevel?: ((opened: readonly string[]) => Promise<Level>) | undefined;
  /** Stands at the right of the timeline's controls. */
  readonly controls?: ComponentChildren;
}

const names: Readonly<Record<RunTab, string>> = {
  talk: "Conversation",
  details: "Details",
  state: "State",
  log: "Log",
  graph: "Graph",
  time: "Timeline",
};

/** The graph beside the conversation, over the timeline; on a phone they are tabs. */
export function RunBody(props: RunBodyProps) {
  const { moment, player, level, selected, onSelect, controls } = props;
  const isSmall = useIsSmall();
  usePageKeys(player, () => onSelect(undefined));
  const tab = !isSmall && (props.tab === "graph" || props.tab === "time") ? "talk" : props.tab;
  const select = (row: string): void => {
    onSelect(row);
    if (!row.includes("#") && (isSmall || tab !== "state")) props.onTab("details");
  };
  const { view } = moment.run;
  const info = view.graphs[view.graph ?? ""];
  const graph = info && (
    <GraphView
      info={info}
      level={level}
      loadLevel={props.loadLevel}
      name={view.run.graph}
      moment={moment}
      selected={selected}
      onSelect={select}
    >
      <Jumps moment={moment} player={player} onSelect={onSelect} onTab={props.onTab} />
    </GraphView>
  );
  const time = (
    <Timeline moment={moment} player={player} selected={selected} onSelect={onSelect}>
      {controls}
    </Timeline>
  );
  const tabs: RunTab[] = ["talk", "details", "state", "log", ...(isSmall ? (["graph", "time"] as const) : [])];
  return (
    <div class="run">
      {!isSmall && (graph ?? <p class="empty">The graph of this run is not known here.</p>)}
      <aside class="pane" aria-label="About the run">
        <Tabs tabs={tabs} tab={tab} onTab={props.onTab} />
        <div class="tab" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`}>
          <TabContent {...props} tab={tab} graph={graph} time={time} />
        </div>
      </aside>
      {!isSmall && time}
    </div>
  );
}

function TabContent(props: RunBodyProps & { readonly graph: ComponentChildren; readonly time: ComponentChildren }) {
  const { moment, selected, onSelect, load } = props;
  switch (props.tab) {
    case "talk":
      return (
        <Conversation
          moment={moment}
          selected={selected}
          onSelect={onSelect}
          answer={props.answer}
          loadTurns={props.loadTurns}
        />
      );
    case "details":
      return <Details moment={moment} selected={selected} load={load} read={props.readState} />;
    case "state":
      return <StateTab moment={moment} selected={selected} read={props.readState} load={load} />;
    case "log":
      return <Log moment={moment} onSelect={onSelect} />;
    case "graph":
      return <>{props.graph}</>;
    case "time":
      return <>{props.time}</>;
    default:
      return props.tab satisfies never;
  }
}

interface TabsProps {
  readonly tabs: readonly RunTab[];
  readonly tab: RunTab;
  onTab(tab: RunTab): void;
}

function Tabs({ tabs, tab, onTab }: TabsProps) {
  const keys = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = step === undefined ? undefined : tabs[tabs.indexOf(tab) + step];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" onKeyDown={keys}>
      {tabs.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={tab === name}
          aria-controls="tab-panel"
          tabIndex={tab === name ? 0 : -1}
          onClick={() => onTab(name)}
        >
          {names[name]}
        </button>
      ))}
    </div>
  );
}

/** Keys that work wherever the focus is, but not where they mean something else. */
function usePageKeys(player: Player, close: () => void): void {
  const [latest] = useState({ player, close });
  latest.player = player;
  latest.close = close;
  useEffect(() => {
    const keys = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event) || document.querySelector("dialog[open]") !== null) return;
      const isOnBody = event.target === document.body;
      const isOnButton =
        event.target instanceof Element && event.target.closest("button, [role=tab], a, summary") !== null;
      if (event.key === "Escape") latest.close();
      else if (isOnBody || !(isOnButton || (event.target instanceof Element && event.target.closest("[tabindex]")))) {
        latest.player.keys(event);
      }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [latest]);
}
