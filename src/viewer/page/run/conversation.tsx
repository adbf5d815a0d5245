/** @jsxImportSource preact */
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ErrorView, QuestionView, TurnList, TurnView } from "../../api.js";
import { messageOf } from "../client.js";
import { count, duration, plural } from "../parts/format.js";
import { Icon, iconOf } from "../parts/icon.js";
import { JsonView } from "../parts/json-view.js";
import { brief } from "../parts/plain-value.js";
import { QuestionTitle, questionTitle } from "../parts/question-title.js";
import { SafeText } from "../parts/safe-text.js";
import { readMessage, type ShownMessage } from "./messages.js";
import type { Moment } from "./moment.js";
import type { ShownSpan } from "./run-model.js";
import { isAsked, type Talk, type TalkItem, talkAt } from "./talk-items.js";

interface ConversationProps {
  readonly moment: Moment;
  readonly selected: string | undefined;
  onSelect(row: string | undefined): void;
  /** Draws what answers a question; absent where nobody can. */
  readonly answer?: ((question: QuestionView) => ComponentChildren) | undefined;
  /** Loads the turns before one; absent in a saved page. */
  readonly loadTurns?: LoadTurns | undefined;
}

export type LoadTurns = (before: number) => Promise<TurnList>;

/** So many are shown at first: the last ones. */
const firstItems = 120;
/** So many while the moment leaps: more than a screen has. */
const itemsOfLeap = 24;

/** What was said and done, up to a moment. */
export function Conversation({ moment, selected, onSelect, answer, loadTurns }: ConversationProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [limit, setLimit] = useState(firstItems);
  const { items, earlier } = useTalk(moment, limit);
  const { view } = moment.run;
  const last = items.at(-1);
  useEffect(() => {
    const element = ref.current;
    if (element !== null && last !== undefined) element.scrollTop = element.scrollHeight;
  }, [last, items.length]);
  const open = moment.isEnd ? view.questions : [];
  const isTold = items.some(({ kind }) => kind === "error") || items.some(isFailedCall);
  // what is wrong with a run that cannot be read stands above
  const isNoted = view.errors.includes(view.run.error?.message ?? "");
  const error = moment.isEnd && !isTold && !isNoted ? view.run.error : undefined;
  return (
    <div class="talk" ref={ref} tabIndex={0} role="log" aria-label="Conversation" aria-live="off">
      <EarlierTurns turns={view.turns ?? []} load={loadTurns} />
      {items.length === 0 && <p class="t3">{quiet(moment)}</p>}
      {earlier > 0 && (
        <button type="button" class="link" onClick={() => setLimit(limit * 4)}>
          Show earlier ({count(earlier)})
        </button>
      )}
      {items.map((item) => (
        <Item key={item.id} item={item} isOpen={isSelected(item, selected)} onSelect={onSelect}>
          {answerOf(item, open, answer)}
        </Item>
      ))}
      {error !== undefined && <RunError error={error} />}
      {unasked(items, open, answer).map((question) => (
        <div key={question.id} class="msg ai">
          <QuestionTitle question={question} />
          {answer?.(question)}
        </div>
      ))}
    </div>
  );
}

/** The talk at a moment. After a leap, where all of it is new, the rest follows when the moment has come to rest. */
function useTalk(moment: Moment, limit: number): Talk {
  const [state] = useState({ count: 0, isLeap: false });
  const [, setRest] = useState(0);
  const { items, earlier } = talkAt(moment, itemsOfLeap);
  const count = items.length + earlier;
  state.isLeap ||= Math.abs(count - state.count) > itemsOfLeap;
  state.count = count;
  useEffect(() => {
    if (!state.isLeap) return undefined;
    const timer = setTimeout(() => {
      state.isLeap = false;
      setRest((old) => old + 1);
    }, 150);
    return () => clearTimeout(timer);
  }, [state, moment]);
  return state.isLeap ? { items, earlier } : talkAt(moment, limit);
}

function isSelected(item: TalkItem, selected: string | undefined): boolean {
  return item.kind === "tool" && item.span.row === selected;
}

/** What is said where no model has been asked. */
function quiet({ run, isEnd }: Moment): string {
  if (!isEnd) return "Nothing has been said yet.";
  return run.spans.length === 0
    ? "What was said is not known here: the run passed elsewhere. Its saves have its state."
    : "No model was asked in this run.";
}

/** Open questions of a run whose spans are not known here. */
function unasked(
  items: readonly TalkItem[],
  open: readonly QuestionView[],
  answer: ConversationProps["answer"],
): readonly QuestionView[] {
  const asked = items.flatMap((item) => {
    const isQuestion = item.kind === "tool" || item.kind === "question";
    return (isQuestion && questionOf(item.span.source.address, item.span.source.status, open)) || [];
  });
  return answer === undefined ? [] : open.filter((question) => !asked.includes(question));
}

function questionOf(address: string, status: string, open: readonly QuestionView[]): QuestionView | undefined {
  if (status !== "waiting") return undefined;
  return open.find((other) => isAsked(other, address));
}

/** The error of a run whose spans are not known here, or of what is not shown. */
function RunError({ error }: { readonly error: ErrorView }) {
  return (
    <div class="msg ai failure">
      <div class="who">
        <Icon name="failed" size={11} />
        {error.nodePath?.join("/") || "the run"} failed
      </div>
      <p>
        <SafeText text={error.message} />
      </p>
    </div>
  );
}

function isFailedCall(item: TalkItem): boolean {
  return item.kind === "tool" && item.span.status === "failed";
}

function answerOf(
  item: TalkItem,
  questions: readonly QuestionView[],
  answer: ConversationProps["answer"],
): ComponentChildren {
  if (item.kind !== "tool" && item.kind !== "question") return undefined;
  const { address, status } = item.span.source;
  const question = questionOf(address, status, questions);
  if (question === undefined || answer === undefined) return undefined;
  return item.kind === "tool" ? (
    answer(question)
  ) : (
    <>
      <QuestionTitle question={question} />
      {answer(question)}
    </>
  );
}

interface ItemProps {
  readonly item: TalkItem;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
  onSelect(row: string | undefined): void;
}

/** A part that is over is not rendered again for each moment. */
class Item extends Component<ItemProps> {
  override shouldComponentUpdate({ item, isOpen, children, onSelect }: ItemProps): boolean {
    const { props } = this;
    const isSame = item === props.item && isOpen === props.isOpen && onSelect === props.onSelect;
    return !isSame || children !== undefined || props.children !== undefined;
  }

  override render() {
    return <ItemContent {...this.props} />;
  }
}

function ItemContent({ item, isOpen, onSelect, children }: ItemProps) {
  switch (item.kind) {
    case "prompt":
      return (
        <>
          {item.messages.map((message, index) => (
            <Prompt key={index} message={message} />
          ))}
        </>
      );
    case "answer":
      return <Answer item={item} />;
    case "tool":
      return (
        <ToolCall item={item} isOpen={isOpen} onSelect={onSelect}>
          {children}
        </ToolCall>
      );
    case "question":
      return (
        <div class="msg ai">
          <div class="who">
            <Icon name="ask" size={11} />
            {item.span.path} {children === undefined ? "asked" : "asks"}
          </div>
          {children ?? (item.asked && <SafeText text={questionTitle(item.asked)} />)}
        </div>
      );
    case "error":
      return (
        <div class="msg ai failure">
          <div class="who">
            <Icon name="failed" size={11} />
            {item.span.path} failed
          </div>
          <p>
            <SafeText text={item.span.source.error?.message ?? ""} />
          </p>
        </div>
      );
    case "wait":
      return <div class="hold">answered after {duration(item.ms)}</div>;
    default:
      return item satisfies never;
  }
}

export function Prompt({ message }: { readonly message: ShownMessage }) {
  return (
    <div class="msg user">
      <SafeText text={message.text} />
      {message.images.map((source, index) => (
        <img key={index} src={source} alt="sent with the message" />
      ))}
    </div>
  );
}

function Answer({ item }: { readonly item: Extract<TalkItem, { kind: "answer" }> }) {
  const { span, text, reasoning, state } = item;
  return (
    <div class="msg ai">
      <div class="who">
        <Icon name="model" size={11} />
        {lastKey(span.path) || "model"}
        <span class="num">
          {state === "done" ? figures(span) : state === "thinking" ? " thinking …" : " writing …"}
        </span>
      </div>
      {reasoning !== "" && (
        <details class="thought">
          <summary>Reasoning</summary>
          <p>
            <SafeText text={reasoning} />
          </p>
        </details>
      )}
      {(text !== "" || state === "writing") && (
        <p>
          <SafeText text={text} />
          {state === "writing" && <span class="caret" />}
        </p>
      )}
    </div>
  );
}

function figures({ start, end, usage, source }: ShownSpan): string {
  if (source.status === "failed") return ` ${duration(end - start)} · failed`;
  const time = ` ${duration(end - start)}`;
  if (usage === undefined) return time;
  return `${time} · ${count(usage.promptTokens)} → ${plural(usage.completionTokens, "token")}`;
}

interface ToolCallProps {
  readonly item: Extract<TalkItem, { kind: "tool" }>;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
  onSelect(row: string | undefined): void;
}

function ToolCall({ item, isOpen, onSelect, children }: ToolCallProps) {
  const { span, status } = item;
  const icon =
    status === "waiting"
      ? "ask"
      : status === "done"
        ? "check"
        : status === "failed"
          ? "failed"
          : iconOf(span.component);
  const words = { waiting: "needs approval", running: "running", failed: "failed", idle: "", done: "" }[status];
  return (
    <div class={`tool ${status}`}>
      <button type="button" aria-expanded={isOpen} onClick={() => onSelect(isOpen ? undefined : span.row)}>
        <span class={`badge st-${status}`}>
          <span class="ico">
            <Icon name={icon} size={13} />
          </span>
        </span>
        <span class="tool-name">{item.name}</span>
        <span class="t3 cut tool-brief">
          <SafeText text={brief(item.arguments)} hasLinks={false} />
        </span>
        <span class="t3 num tool-time">{words === "" ? duration(span.end - span.start) : words}</span>
      </button>
      {isOpen && (
        <div class="io">
          {span.tool !== undefined && <JsonView value={item.arguments} label={`Arguments of ${item.name}`} />}
          {item.result !== undefined && <JsonView value={item.result} label={`Result of ${item.name}`} />}
        </div>
      )}
      {status === "failed" && span.source.error !== undefined && (
        <div class="io failure">
          <SafeText text={span.source.error.message} />
        </div>
      )}
      {children}
    </div>
  );
}

interface EarlierTurnsProps {
  /** The last turns; the very last is the one that is looked at. */
  readonly turns: readonly TurnView[];
  readonly load: LoadTurns | undefined;
}

/** Folded: what matters is the turn that is looked at. Those before the last 50 are loaded when they are asked for. */
function EarlierTurns({ turns, load }: EarlierTurnsProps) {
  const [older, setOlder] = useState<TurnList>({ turns: [], more: true });
  const [failure, setFailure] = useState<string | undefined>();
  const shown = [...older.turns, ...turns.slice(0, -1)];
  const [first] = shown;
  if (first === undefined) return null;
  const hasMore = load !== undefined && older.more && first.turn > 1;
  const loadMore = (): void => {
    load?.(first.turn).then(
      (found) => setOlder({ turns: [...found.turns, ...older.turns], more: found.more }),
      (error: unknown) => setFailure(messageOf(error)),
    );
  };
  return (
    <details class="earlier">
      <summary>
        {count(shown.length)}
        {hasMore ? " or more" : ""} earlier {shown.length === 1 ? "turn" : "turns"}
      </summary>
      {hasMore && (
        <button type="button" class="link" onClick={loadMore}>
          Show more turns
        </button>
      )}
      {failure !== undefined && <p class="failure">{failure}</p>}
      {shown.map(({ turn, prompt, messages }) => (
        <div key={turn} class="turn">
          {[...prompt, ...messages].map((value, index) => {
            const message = readMessage(value);
            if (message === undefined) return null;
            if (message.role === "user") return <Prompt key={index} message={message} />;
            return message.text === "" ? null : (
              <p key={index} class="t2">
                <SafeText text={message.text} />
              </p>
            );
          })}
        </div>
      ))}
    </details>
  );
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
