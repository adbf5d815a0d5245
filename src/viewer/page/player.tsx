/** @jsxImportSource preact */
import { render } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { StateView } from "../api.js";
import type { SavedRun } from "../saved-page.js";
import { dateTime } from "./parts/format.js";
import { nameControls } from "./parts/name-controls.js";
import { applyTheme } from "./parts/theme.js";
import { Moment } from "./run/moment.js";
import { usePlayer } from "./run/player.js";
import { RunBody } from "./run/run-body.js";
import { RunHead } from "./run/run-head.js";
import { readRun } from "./run/run-model.js";
import type { RunTab } from "./run/run-tab.js";

/** A run that was saved as a file: to look at, with no server. */
function SavedRunPage({ view, opened, states = {}, savedAt }: SavedRun) {
  const run = useMemo(() => readRun(view, savedAt), [view, savedAt]);
  const player = usePlayer(run);
  const moment = useMemo(() => new Moment(run, player.time), [run, player.time]);
  const [selected, setSelected] = useState<string | undefined>();
  const [tab, setTab] = useState<RunTab>("talk");
  const readState = useCallback(
    async (entry: string, path: string): Promise<StateView> => states[`${entry} ${path}`] ?? { entry, path },
    [states],
  );
  return (
    <main class="main saved">
      <RunHead moment={moment} player={player}>
        <span class="t3">Saved {dateTime(savedAt)} · read-only</span>
      </RunHead>
      <RunBody
        moment={moment}
        player={player}
        level={view.level}
        loadLevel={opened && (async () => opened)}
        selected={selected}
        tab={tab}
        onSelect={setSelected}
        onTab={setTab}
        readState={readState}
      />
    </main>
  );
}

async function unpack(text: string): Promise<SavedRun> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function show(root: HTMLElement): Promise<void> {
  const data = await unpack(document.getElementById("data")?.textContent ?? "");
  render(<SavedRunPage {...data} />, root);
}

const root = document.getElementById("app");
applyTheme();
nameControls();
if (root !== null) void show(root);
