/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import type { RunList, RunRow, RunStatus } from "../../api.js";
import { isTyping } from "../parts/elements.js";
import { age, count, dateTime, dollars, duration } from "../parts/format.js";
import { Icon } from "../parts/icon.js";
import { SafeText } from "../parts/safe-text.js";
import { Pill } from "../parts/status.js";
import { addressOf } from "../route.js";
import { useLoaded, useReload, useSession } from "../session.js";

const statuses: readonly (RunStatus | undefined)[] = [
  undefined,
  "running",
  "waiting",
  "ready",
  "failed",
  "stopped",
  "cancelled",
  "finished",
];

/** All runs, the newest first. */
export function RunsView() {
  const { client } = useSession();
  const [status, setStatus] = useState<RunStatus | undefined>();
  const [search, setSearch] = useState("");
  const [more, setMore] = useState<{ readonly of: string; readonly lists: readonly RunList[] }>({ of: "", lists: [] });
  const query = { status, search: search === "" ? undefined : search, limit: "100" };
  const name = JSON.stringify(query);
  const { data, error, reload } = useLoaded<RunList>(name, () => client.get("runs", query));
  const input = useRef<HTMLInputElement>(null);
  useSearchKey(input);
  useReload(({ type }) => type === "run" || type === "open", reload);
  const extra = more.of === name ? more.lists : [];
  const runs = [...(data?.runs ?? []), ...extra.flatMap((list) => list.runs)];
  const { next } = extra.at(-1) ?? data ?? {};
  const loadMore = async (): Promise<void> => {
    const list = await client.get<RunList>("runs", { ...query, after: next });
    setMore({ of: name, lists: [...extra, list] });
  };
  return (
    <>
      <header class="head">
        <h1>Runs</h1>
        <div class="filters" role="group" aria-label="Status">
          {statuses.map((value) => (
            <button
              key={value ?? "all"}
              type="button"
              class="chip"
              aria-pressed={status === value}
              onClick={() => setStatus(value)}
            >
              {value ?? "all"}
            </button>
          ))}
        </div>
        <span class="grow" />
        <label class="search">
          <Icon name="search" size={13} />
          <span class="sr">Search runs</span>
          <input
            ref={input}
            type="text"
            placeholder="App, id, thread, user"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <kbd class="keys">/</kbd>
        </label>
      </header>
      <div class="page" tabIndex={-1}>
        {error !== undefined && <p class="empty failure">{error}</p>}
        {data !== undefined && runs.length === 0 && (
          <div class="empty">
            <Icon name="runs" size={28} />
            <p>{search === "" && status === undefined ? "Nothing has run yet." : "No run fits."}</p>
          </div>
        )}
        {runs.length > 0 && <RunTable runs={runs} />}
        {next !== undefined && (
          <p class="more">
            <button type="button" class="btn" onClick={loadMore}>
              More runs
            </button>
          </p>
        )}
      </div>
    </>
  );
}

function RunTable({ runs }: { readonly runs: readonly RunRow[] }) {
  return (
    <table class="runs-table">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">App</th>
          <th scope="col" class="wide">
            Run
          </th>
          <th scope="col" class="wide">
            Thread or user
          </th>
          <th scope="col" class="right">
            Changed
          </th>
          <th scope="col" class="right wide">
            Active
          </th>
          <th scope="col" class="right wide">
            Tokens
          </th>
          <th scope="col" class="right wide">
            Cost
          </th>
        </tr>
      </thead>
      <tbody class="num">
        {runs.map((run) => (
          <RunLine key={run.ref} run={run} />
        ))}
      </tbody>
    </table>
  );
}

function RunLine({ run }: { readonly run: RunRow }) {
  const { ref, status, app, graph, checkpointId, since, activeMs, usage, threadId, userId, error, forkOf } = run;
  const tokens = usage === undefined ? undefined : usage.promptTokens + usage.completionTokens;
  return (
    <tr>
      <td>
        <Pill status={status} />
      </td>
      <td>
        <a class="row-link" href={addressOf({ view: "run", ref })}>
          <SafeText text={app ?? graph} hasLinks={false} />
        </a>
        {error !== undefined && (
          <div class="failure cut run-error">
            <SafeText text={error.message} hasLinks={false} />
          </div>
        )}
        {forkOf !== undefined && <div class="t3">fork of {forkOf}</div>}
      </td>
      <td class="wide mono t3 cut">
        <SafeText text={checkpointId ?? ref} hasLinks={false} />
      </td>
      <td class="wide t2 cut">
        <SafeText text={threadId ?? userId ?? ""} hasLinks={false} />
      </td>
      <td class="right t2">
        <time title={dateTime(since)}>{age(since, Date.now())}</time>
      </td>
      <td class="right wide t2">{activeMs === undefined ? "" : duration(activeMs)}</td>
      <td class="right wide t2">{tokens === undefined ? "" : count(tokens)}</td>
      <td class="right wide t2">{usage?.cost === undefined ? "" : dollars(usage.cost)}</td>
    </tr>
  );
}

function useSearchKey(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const keys = (event: KeyboardEvent): void => {
      if (event.key !== "/" || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [input]);
}
