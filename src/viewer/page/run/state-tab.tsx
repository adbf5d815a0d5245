/** @jsxImportSource preact */
import type { ValueView } from "../../api.js";
import { ValueBox } from "../parts/json-view.js";
import type { Moment } from "./moment.js";
import { type ReadState, useStateAt } from "./use-state-at.js";

interface StateTabProps {
  readonly moment: Moment;
  readonly selected: string | undefined;
  /** Reads the state of a graph at a save; absent in a saved page. */
  readonly read?: ReadState | undefined;
  readonly load?: ((more: string) => Promise<ValueView>) | undefined;
}

/** The state of the last save, with what has changed since the one before. Read while the tab is open. */
export function StateTab({ moment, selected, read, load }: StateTabProps) {
  const { saves, view } = moment.run;
  const { save } = moment;
  const before = save === undefined ? undefined : saves[saves.indexOf(save) - 1];
  const path = graphPath(moment, selected);
  const now = useStateAt(save?.id, path, read);
  const old = useStateAt(before?.id, path, read);
  return (
    <section class="insp" tabIndex={0} aria-label="State">
      {view.saves === undefined && <p class="t2">{view.noHistory ?? "This run keeps no history."}</p>}
      {view.saves !== undefined && save === undefined && <p class="t2">Nothing was saved yet.</p>}
      {save !== undefined && now?.error !== undefined && <p class="failure">{now.error}</p>}
      {save !== undefined && now?.state !== undefined && (
        <>
          <section class="sec">
            <h2>
              State at save {saves.indexOf(save) + 1}
              {path !== "" && ` of ${path}`}
              <span class="grow" />
              {before !== undefined && <span class="changed-note">changed since save {saves.indexOf(before) + 1}</span>}
            </h2>
            {now.state.state === undefined ? (
              <p class="t3">This graph has no state.</p>
            ) : (
              <ValueBox view={now.state.state} before={old?.state?.state?.value} label="State" load={load} />
            )}
          </section>
          {now.state.output !== undefined && (
            <section class="sec">
              <h2>Output</h2>
              <ValueBox view={now.state.output} label="Output" load={load} />
            </section>
          )}
        </>
      )}
    </section>
  );
}

/** The innermost graph around what is selected. */
function graphPath({ run }: Moment, selected: string | undefined): string {
  const path = (selected ?? "").split("#")[0] ?? "";
  return path === "" || run.outer.has(path) ? path : path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
