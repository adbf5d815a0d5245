/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { count, dollars, duration } from "../parts/format.js";
import { SafeText } from "../parts/safe-text.js";
import { Pill } from "../parts/status.js";
import type { Moment } from "./moment.js";
import type { Player } from "./player.js";
import { activeAt } from "./run-model.js";

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
  const used = usageAt(moment);
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
        {used.tokens > 0 && <span>{count(used.tokens)} tokens</span>}
        {used.cost !== undefined && <span>{dollars(used.cost)}</span>}
        {row.forkOf !== undefined && <span>fork of {row.forkOf}</span>}
      </div>
      <span class="grow" />
      {children}
    </header>
  );
}

function usageAt({ run, time }: Moment): { readonly tokens: number; readonly cost: number | undefined } {
  const used = run.spans.flatMap(({ usage, end }) => (usage !== undefined && end <= time ? [usage] : []));
  const tokens = used.reduce((sum, { promptTokens, completionTokens }) => sum + promptTokens + completionTokens, 0);
  const costs = used.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  return { tokens, cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0) };
}
