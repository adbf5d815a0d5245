/** @jsxImportSource preact */
import type { ErrorView, ValueView } from "../../api.js";
import { count, dollars, duration, plural } from "../parts/format.js";
import { Icon, iconOf } from "../parts/icon.js";
import { ValueBox } from "../parts/json-view.js";
import { brief, field, parsed } from "../parts/plain-value.js";
import { SafeText } from "../parts/safe-text.js";
import { Pill } from "../parts/status.js";
import type { Moment, NodeMoment } from "./moment.js";
import { activeAt, inputOf, outputOf, type RunModel, type ShownSpan } from "./run-model.js";
import { type ReadState, useStateAt } from "./use-state-at.js";

interface DetailsProps {
  readonly moment: Moment;
  readonly selected: string | undefined;
  readonly load?: ((more: string) => Promise<ValueView>) | undefined;
  readonly read?: ReadState | undefined;
}

/** What is known of the selected node or tool, at a moment. */
export function Details({ moment, selected, load, read }: DetailsProps) {
  const [path = "", tool] = (selected ?? "").split("#");
  const now = moment.node(selected ?? "");
  const span = now.last;
  return (
    <section class="insp" tabIndex={0} aria-label="Details">
      {span === undefined ? (
        <p class="t2">{selected === undefined ? "Choose a node in the graph." : `${tool ?? path} ${idle(moment)}.`}</p>
      ) : (
        <>
          <div class="insp-title">
            <span class={`badge st-${now.status}`}>
              <span class="ico">
                <Icon name={iconOf(span.component, span.source.type)} />
              </span>
            </span>
            <strong class="cut">{tool ?? (path || moment.run.view.run.graph)}</strong>
            <span class="grow" />
            <Pill status={now.status} />
          </div>
          <Facts now={now} span={span} run={moment.run} />
          {span.source.error !== undefined && span.end <= moment.time && (
            <section class="sec failure" aria-label="Error">
              <Failure error={span.source.error} />
            </section>
          )}
          {span.id.startsWith("save ") ? (
            <SavedOutput span={span} load={load} read={read} />
          ) : (
            <Values moment={moment} span={span} isTool={tool !== undefined} load={load} />
          )}
        </>
      )}
    </section>
  );
}

function idle({ isEnd, run }: Moment): string {
  return isEnd && run.view.run.status === "finished" ? "was not run" : "has not run yet";
}

function Facts({ now, span, run }: { readonly now: NodeMoment; readonly span: ShownSpan; readonly run: RunModel }) {
  const { usage, model, first, chunks, start } = span;
  return (
    <dl class="kv num">
      <dt>Duration</dt>
      <dd>
        {duration(now.ms)}
        {now.visits > 1 && ` in ${now.visits} visits`}
      </dd>
      {model !== undefined && <Fact name="Model" value={model} />}
      {first !== undefined && (
        <Fact name="First chunk" value={`${duration(first - start)} · ${plural(chunks?.count ?? 0, "chunk")}`} />
      )}
      {usage !== undefined && (
        <Fact
          name="Tokens"
          value={`${count(usage.promptTokens)} in${cached(usage.cachedTokens)} · ${count(usage.completionTokens)} out`}
        />
      )}
      {usage?.cost !== undefined && <Fact name="Cost" value={dollars(usage.cost)} />}
      {usage?.unpriced?.map((name) => (
        <Fact key={name} name="Cost" value={`no price for ${name}`} />
      ))}
      {span.retries.map(({ at, kind, value }, index) => (
        <Fact key={index} name={`${kind} at ${duration(activeAt(run, at))}`} value={brief(value?.value)} isFailure />
      ))}
    </dl>
  );
}

function Fact({ name, value, isFailure }: { name: string; value: string; isFailure?: boolean }) {
  return (
    <>
      <dt class={isFailure ? "failure" : undefined}>{name}</dt>
      <dd class={isFailure ? "failure" : undefined}>
        <SafeText text={value} />
      </dd>
    </>
  );
}

function cached(tokens: number): string {
  return tokens === 0 ? "" : ` (${count(tokens)} cached)`;
}

/** An error, and what caused it. */
function Failure({ error }: { readonly error: ErrorView }) {
  return (
    <>
      <h2>{[error.name, error.code].filter((text) => text !== undefined).join(" · ")}</h2>
      <p>
        <SafeText text={error.message} />
      </p>
      {error.cause !== undefined && <Failure error={error.cause} />}
    </>
  );
}

/** Of a node that ran elsewhere, the save has its output until the next node has read it. */
function SavedOutput({ span, load, read }: { readonly span: ShownSpan } & Pick<DetailsProps, "load" | "read">) {
  const [, entry = "", path = ""] = span.id.split(" ");
  const found = useStateAt(entry, path, read);
  if (found?.state?.output === undefined) return <p class="t3">This run passed elsewhere: only its saves are known.</p>;
  return (
    <section class="sec">
      <h2>Output</h2>
      <ValueBox view={found.state.output} label="Output" load={load} />
    </section>
  );
}

interface ValuesProps {
  readonly moment: Moment;
  readonly span: ShownSpan;
  readonly isTool: boolean;
  readonly load: DetailsProps["load"];
}

function Values({ moment, span, isTool, load }: ValuesProps) {
  const input = inputOf(moment.run, span);
  const output = span.end <= moment.time ? outputOf(moment.run, span) : undefined;
  // an attempt may have come with the values that its call has not
  if (span.source.isPartial === true && input === undefined) return <p class="t3">Loading …</p>;
  return (
    <>
      <section class="sec">
        <h2>Input</h2>
        <ValueBox
          view={input}
          label="Input"
          load={load}
          read={isTool ? (value) => parsed(field(value, "arguments") ?? value) : undefined}
        />
      </section>
      {output !== undefined && (
        <section class="sec">
          <h2>Output</h2>
          <ValueBox
            view={output}
            label="Output"
            load={load}
            read={isTool ? (value) => parsed(field(value, "result") ?? value) : undefined}
          />
        </section>
      )}
    </>
  );
}
