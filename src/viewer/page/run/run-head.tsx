/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { count, dollars, duration } from "../parts/format.js";
import { SafeText } from "../parts/safe-text.js";
import { Pill } from "../parts/status.js";
import type { Moment } from "./moment.js";
import type { Player } from "./player.js";
import { countUntil } from "./row-times.js";
import { activeAt, type RunModel } from "./run-model.js";

interface RunHeadProps {
  readonly moment: Moment;
  readonly player: Player;
  readonly children?: ComponentChildren;
}

/** What the run is, how it stands at the moment, and what it has used. */
export function RunHead({ moment, player, children }: RunHeadProps) {
  const { run, time, isEnd, status } = moment;
  const row = run.view.run;
  const active = activeAt(run, time);
  const { tokens = 0, cost } = usageAt(moment) ?? {};
  return (
    <header class="head">
      <h1 class="cut">
        <SafeText text={row.app ?? row.graph} hasLinks={false} />
      </h1>
      <span class="mono t3 cut run-id">
        <SafeText text={row.checkpointId ?? row.ref} hasLinks={false} />
      </span>
      <span role="status">
        <Pill
          status={isEnd ? row.status : status}
          word={isEnd && row.status === "waiting" ? "waiting for you" : status}
        />
      </span>
      {!isEnd && (
        <button type="button" class="now num" onClick={() => player.moveTo(Number.POSITIVE_INFINITY)}>
          at {duration(active)} <b>Back to the end</b>
        </button>
      )}
      <div class="meta num">
        <span>{duration(active)} active</span>
        {tokens > 0 && <span>{count(tokens)} tokens</span>}
        {cost !== undefined && <span>{dollars(cost)}</span>}
        {row.forkOf !== undefined && <span>fork of {row.forkOf}</span>}
      </div>
      <span class="grow" />
      {children}
    </header>
  );
}

interface UsedUntil {
  readonly end: number;
  readonly tokens: number;
  readonly cost: number | undefined;
}

const used = new WeakMap<RunModel["view"], readonly UsedUntil[]>();

/** What models had used, added up once. */
function usageAt({ run, time }: Moment): UsedUntil | undefined {
  const sums = used.get(run.view) ?? usesOf(run);
  used.set(run.view, sums);
  return sums[countUntil(sums, time, ({ end }) => end) - 1];
}

function usesOf({ spans }: RunModel): UsedUntil[] {
  const sums: UsedUntil[] = [];
  const asked = spans.flatMap(({ usage, end }) => (usage === undefined ? [] : [{ usage, end }]));
  for (const { usage, end } of asked.sort((a, b) => a.end - b.end)) {
    const last = sums.at(-1);
    const tokens = (last?.tokens ?? 0) + usage.promptTokens + usage.completionTokens;
    const cost = usage.cost === undefined ? last?.cost : (last?.cost ?? 0) + usage.cost;
    sums.push({ end, tokens, cost });
  }
  return sums;
}
