/** @jsxImportSource preact */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type {
  LiveEvent,
  QuestionView,
  RunView as RunData,
  RunResult,
  SaveList,
  StateView,
  TurnList,
  ValueView,
} from "../../api.js";
import type { Level } from "../../layout/level.js";
import { levelPath, messageOf, newKey } from "../client.js";
import { QuestionForm } from "../form/question-form.js";
import { plural } from "../parts/format.js";
import { Icon } from "../parts/icon.js";
import { SafeText } from "../parts/safe-text.js";
import { go } from "../route.js";
import { isPartial, loadRun, loadValues, runPath } from "../run/load-run.js";
import { Moment } from "../run/moment.js";
import { usePlayer } from "../run/player.js";
import { RunBody } from "../run/run-body.js";
import { applyEvents } from "../run/run-changes.js";
import { RunHead } from "../run/run-head.js";
import { type RunModel, readRun } from "../run/run-model.js";
import type { RunTab } from "../run/run-tab.js";
import { useLiveBatches, useLoaded, useReload, useSession } from "../session.js";
import { ForkDialog } from "./fork-dialog.js";
import { SaveDialog } from "./save-dialog.js";

/** One run: its graph beside its conversation, over its timeline. */
export function RunView({ runRef }: { readonly runRef: string }) {
  const { client } = useSession();
  const path = runPath(runRef);
  const shown = useRef<string | undefined>(undefined);
  const { data, error, change, reload } = useLoaded<RunData>(path, () => loadRun(client, path, shown.current !== path));
  if (data !== undefined) shown.current = path;
  useRestOf(data, change);
  useLiveBatches(
    (event) => event.type === "lost" || isAbout(event, runRef),
    (events) => change((old) => applyEvents(old, events)),
  );
  useReload((event) => isStale(event, runRef), reload);
  if (error !== undefined && data === undefined) {
    return (
      <div class="empty">
        <h1>This run cannot be shown</h1>
        <p class="failure">{error}</p>
      </div>
    );
  }
  if (data === undefined) return <p class="empty t3">Loading …</p>;
  return <LoadedRun view={data} path={path} reload={reload} change={change} />;
}

/** Loads what a large run was shown without, once it is on the screen. */
function useRestOf(view: RunData | undefined, change: LoadedRunProps["change"]): void {
  const { client, say } = useSession();
  const hasMore = useMemo(() => view?.spans.some(isPartial) === true, [view?.spans]);
  useEffect(() => {
    if (!hasMore || view === undefined) return;
    const timer = setTimeout(() => {
      loadValues(client, view).then(change, (error: unknown) => say(messageOf(error), true));
    }, 100);
    return () => clearTimeout(timer);
  }, [hasMore, view?.run.ref]);
}

/** Whether more has changed than the event tells. */
function isStale(event: LiveEvent, ref: string): boolean {
  if (event.type === "open") return !event.isComplete;
  return event.type === "questions" || (event.type === "run" && isAbout(event, ref) && event.run.status !== "running");
}

function isAbout(event: LiveEvent, ref: string): boolean {
  return event.type === "run" ? event.run.ref === ref : "ref" in event && event.ref === ref;
}

interface LoadedRunProps {
  readonly view: RunData;
  readonly path: string;
  reload(): void;
  change(update: (view: RunData) => RunData): void;
}

function LoadedRun({ view, path, reload, change }: LoadedRunProps) {
  const { client, about } = useSession();
  const now = useNow(view.run.status === "running");
  const run = useMemo(() => readRun(view, now), [view, now]);
  const player = usePlayer(run);
  const moment = useMemo(() => new Moment(run, player.time), [run, player.time]);
  const [selected, setSelected] = useState<string | undefined>();
  const [tab, setTab] = useState<RunTab>("talk");
  const [dialog, setDialog] = useState<"fork" | "save" | undefined>();
  const readState = useCallback(
    (entry: string, at: string) => client.get<StateView>(`${path}/state`, { entry, path: at }),
    [client, path],
  );
  const load = useCallback((more: string) => client.get<ValueView>(`values/${more}`), [client]);
  const loadTurns = useCallback(
    (before: number) => client.get<TurnList>(`${path}/turns`, { before: String(before) }),
    [client, path],
  );
  const loadLevel = useCallback(
    (opened: readonly string[]) => client.get<Level>(levelPath(path, opened)),
    [client, path],
  );
  const answer = (question: QuestionView) => (
    <QuestionForm key={question.id} question={question} isCompact onDone={reload} />
  );
  const canFork = about.can === "act" && view.canFork === true;
  return (
    <>
      <RunHead moment={moment} player={player}>
        <RunActions run={run} reload={reload} />
        <button type="button" class="btn" disabled={view.spans.some(isPartial)} onClick={() => setDialog("save")}>
          <Icon name="save" size={14} />
          Save as page
        </button>
      </RunHead>
      <Notes view={view} />
      <RunBody
        moment={moment}
        player={player}
        level={view.level}
        selected={selected}
        tab={tab}
        onSelect={setSelected}
        onTab={setTab}
        answer={about.can === "look" ? undefined : answer}
        readState={readState}
        load={load}
        loadTurns={loadTurns}
        loadLevel={loadLevel}
        controls={
          <>
            <EarlierSaves view={view} path={path} change={change} />
            {about.can === "act" && (
              <button
                type="button"
                class="btn sm"
                disabled={!canFork || moment.save === undefined}
                title={view.canFork === true ? undefined : view.canFork}
                onClick={() => setDialog("fork")}
              >
                <Icon name="fork" size={13} />
                Fork from here
              </button>
            )}
          </>
        }
      />
      {dialog === "fork" && moment.save !== undefined && (
        <ForkDialog moment={moment} save={moment.save} readState={readState} onClose={() => setDialog(undefined)} />
      )}
      {dialog === "save" && <SaveDialog view={view} path={path} onClose={() => setDialog(undefined)} />}
    </>
  );
}

/** The newest 1,000 saves come with the run. */
function EarlierSaves({ view, path, change }: Pick<LoadedRunProps, "view" | "path" | "change">) {
  const { client, say } = useSession();
  const [isAll, setIsAll] = useState(false);
  const [first] = view.saves ?? [];
  if (isAll || first === undefined || first.cause === "start" || first.cause === "fork") return null;
  const load = async (): Promise<void> => {
    try {
      const { saves, more } = await client.get<SaveList>(`${path}/saves`, { before: first.id });
      setIsAll(!more);
      change((old) => ({ ...old, saves: [...saves, ...(old.saves ?? [])] }));
    } catch (error) {
      say(messageOf(error), true);
    }
  };
  return (
    <button type="button" class="btn sm quiet" onClick={load}>
      Earlier saves
    </button>
  );
}

/** What could not be read, and what is missing. */
function Notes({ view: { errors, lostChunks = 0 } }: { readonly view: RunData }) {
  if (errors.length === 0 && lostChunks === 0) return null;
  return (
    <div class="strip notes" role="status">
      <SafeText text={errors.join(" ")} hasLinks={false} />
      {lostChunks > 0 &&
        ` ${plural(lostChunks, "chunk")} did not reach this page in time. Texts are whole when they end.`}
    </div>
  );
}

/** Open spans grow while they are looked at. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

const actions = {
  "go-on": { label: "Go on", statuses: ["ready", "stopped"], can: "answer" },
  stop: { label: "Stop", statuses: ["running"], can: "act" },
  cancel: { label: "Cancel", statuses: ["ready", "waiting", "stopped"], can: "act" },
  retry: { label: "Retry", statuses: ["failed", "cancelled"], can: "act" },
  again: { label: "Run again", statuses: ["finished", "failed", "cancelled"], can: "act" },
} as const;

function RunActions({ run, reload }: { readonly run: RunModel; reload(): void }) {
  const { client, about, say } = useSession();
  const { ref, status, app, checkpointId } = run.view.run;
  if (app === undefined || checkpointId === undefined) return null;
  const press = async (name: keyof typeof actions): Promise<void> => {
    try {
      const { run: next } = await client.post<RunResult>(name, { ref, key: newKey() });
      if (next !== undefined && next.ref !== ref) go({ view: "run", ref: next.ref });
      else reload();
    } catch (error) {
      say(messageOf(error), true);
    }
  };
  const rank = { look: 0, answer: 1, act: 2 };
  const shown = (Object.keys(actions) as (keyof typeof actions)[]).filter((name) => {
    const { statuses, can } = actions[name];
    return statuses.some((other) => other === status) && rank[about.can] >= rank[can];
  });
  return (
    <>
      {shown.map((name) => (
        <button key={name} type="button" class="btn quiet" onClick={() => press(name)}>
          {actions[name].label}
        </button>
      ))}
    </>
  );
}
