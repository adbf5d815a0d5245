/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import type { AnswerResult, QuestionList, QuestionView } from "../../api.js";
import { messageOf, newKey } from "../client.js";
import { QuestionForm } from "../form/question-form.js";
import { isTyping, useIsSmall } from "../parts/elements.js";
import { age, dateTime, duration, plural } from "../parts/format.js";
import { Icon } from "../parts/icon.js";
import { QuestionTitle, questionBrief, questionTitle } from "../parts/question-title.js";
import { SafeText } from "../parts/safe-text.js";
import { addressOf, go, readRoute } from "../route.js";
import { Prompt } from "../run/conversation.js";
import { readMessage } from "../run/messages.js";
import { useQuestions, useSession } from "../session.js";

/** All that waits for an answer, the oldest first. */
export function InboxView({ picked }: { readonly picked: string | undefined }) {
  const { about } = useSession();
  const { data, error, reload } = useQuestions();
  const isSmall = useIsSmall();
  const [isList, setIsList] = useState(false);
  const questions = data?.questions ?? [];
  const question = questions.find(({ id }) => id === picked) ?? questions[0];
  useListKeys(questions, question);
  const answered = useAnsweredElsewhere(data, question);
  const done = (): void => {
    if (question !== undefined) answered.add(question.run.ref);
    const at = questions.findIndex(({ id }) => id === question?.id);
    const next = questions[at + 1] ?? questions[at - 1];
    // whoever has left before the answer came back stays there
    if (readRoute(location.hash).view === "inbox") go({ view: "inbox", question: next?.id });
    reload();
  };
  return (
    <>
      <header class="head">
        <h1>Inbox</h1>
        <span class="t3" role="status">
          {data === undefined ? "" : plural(questions.length, "question waits", "questions wait")}
        </span>
        <span class="grow" />
        {isSmall && questions.length > 1 && (
          <button type="button" class="btn" aria-expanded={isList} onClick={() => setIsList(!isList)}>
            {isList ? "Back" : "All questions"}
          </button>
        )}
        <span class="t3 keys">
          <kbd>J</kbd> <kbd>K</kbd> next, previous
        </span>
      </header>
      {error !== undefined && <p class="empty failure">{error}</p>}
      {data !== undefined && questions.length === 0 && <Empty />}
      {question !== undefined && (
        <div class={`inbox${isList ? " as-list" : ""}`}>
          <nav class="list" aria-label="Questions">
            {questions.map((other) => (
              <QuestionRow
                key={other.id}
                question={other}
                isPicked={other.id === question.id}
                onPick={() => {
                  setIsList(false);
                  go({ view: "inbox", question: other.id });
                }}
              />
            ))}
            {data?.errors.map(({ ref, message }) => (
              <p key={ref} class="q failure">
                <SafeText text={message} />
              </p>
            ))}
          </nav>
          <div class="detail" tabIndex={-1}>
            <QuestionSheet
              key={question.id}
              question={question}
              others={questions.filter(({ id, run }) => id !== question.id && run.ref === question.run.ref)}
              canAnswer={about.can !== "look"}
              onDone={done}
            />
          </div>
        </div>
      )}
    </>
  );
}

/** Says so when the question that is looked at was answered elsewhere. Returns the runs that were answered here. */
function useAnsweredElsewhere(list: QuestionList | undefined, shown: QuestionView | undefined): Set<string> {
  const { say } = useSession();
  const [state] = useState<{ last: QuestionView | undefined; here: Set<string> }>({ last: undefined, here: new Set() });
  useEffect(() => {
    const { last, here } = state;
    const isGone = last !== undefined && list?.questions.some(({ id }) => id === last.id) === false;
    if (isGone && !here.has(last.run.ref)) say(`“${questionTitle(last)}” was answered elsewhere.`);
    if (list !== undefined) state.last = shown;
  }, [list, shown, state, say]);
  return state.here;
}

function Empty() {
  return (
    <div class="empty">
      <Icon name="inbox" size={28} />
      <p>Nothing waits for an answer.</p>
    </div>
  );
}

interface QuestionRowProps {
  readonly question: QuestionView;
  readonly isPicked: boolean;
  onPick(): void;
}

function QuestionRow({ question, isPicked, onPick }: QuestionRowProps) {
  const { run, key, path, askedAt, kind, tool } = question;
  return (
    <button
      type="button"
      class="q"
      data-question={question.id}
      aria-current={isPicked ? "true" : undefined}
      onClick={onPick}
    >
      <span class="row">
        <Icon name={kind === "approval" ? "tool" : "ask"} size={13} />
        <span class="cut">{run.app ?? run.graph}</span>
        <span class="t3">·</span>
        <span class="t3 cut">{path || tool?.name || key}</span>
        <span class="grow" />
        <span class="t3 num">{age(askedAt, Date.now())}</span>
      </span>
      <span class="ttl cut">
        <SafeText text={questionBrief(question)} hasLinks={false} />
      </span>
    </button>
  );
}

interface QuestionSheetProps {
  readonly question: QuestionView;
  /** The other open questions of the same run. */
  readonly others: readonly QuestionView[];
  readonly canAnswer: boolean;
  onDone(result: AnswerResult | undefined): void;
}

function QuestionSheet({ question, others, canAnswer, onDone }: QuestionSheetProps) {
  const { run, path, askedAt, expiresAt } = question;
  const [kept, setKept] = useState<Readonly<Record<string, unknown>>>({});
  const where = [run.app ?? run.graph, ...path.split("/")].filter((part) => part !== "").join(" / ");
  const all = [question, ...others];
  const left = all.filter(({ id }) => !Object.hasOwn(kept, id));
  const openRun = (
    <a class="btn quiet open-run" href={addressOf({ view: "run", ref: run.ref })}>
      Open run
    </a>
  );
  return (
    <div class="sheet">
      <div>
        <div class="t3 meta-line">
          {where} · asked <time title={dateTime(askedAt)}>{duration(Math.max(0, Date.now() - askedAt))} ago</time>
          {expiresAt !== undefined && ` · expires in ${duration(Math.max(0, expiresAt - Date.now()))}`}
        </div>
        <QuestionTitle question={question} />
      </div>
      <Before question={question} />
      {canAnswer ? (
        <>
          {others.length > 0 && <Together all={all} kept={kept} left={left} onDone={onDone} />}
          {(left.length > 0 ? left : []).map((open, index) => (
            <div key={open.id}>
              {index > 0 && <QuestionTitle question={open} />}
              <QuestionForm
                question={open}
                onDone={onDone}
                beside={index === 0 && openRun}
                keep={others.length === 0 ? undefined : (value) => setKept((old) => ({ ...old, [open.id]: value }))}
              />
            </div>
          ))}
        </>
      ) : (
        <p class="t2 only-look">You may look at questions, but not answer them. {openRun}</p>
      )}
    </div>
  );
}

interface TogetherProps {
  readonly all: readonly QuestionView[];
  readonly kept: Readonly<Record<string, unknown>>;
  readonly left: readonly QuestionView[];
  onDone(result: AnswerResult | undefined): void;
}

/** Questions of one run can be answered one by one, or kept and sent in one go. */
function Together({ all, kept, left, onDone }: TogetherProps) {
  const { client, say } = useSession();
  const [key] = useState(newKey);
  const [failure, setFailure] = useState<string | undefined>();
  const count = all.length - left.length;
  const send = async (): Promise<void> => {
    try {
      onDone(await client.post("answer", { ref: all[0]?.run.ref, answers: kept, key }));
      say("Answered.");
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <div class="together">
      <span class="t2">
        This run asks {plural(all.length, "question")}.{" "}
        {count > 0
          ? `${plural(count, "answer")} kept.`
          : "Answer one by one, or keep the answers and send them together."}
      </span>
      {count > 0 && (
        <button type="button" class="btn primary" onClick={send}>
          Send {plural(count, "answer")}
        </button>
      )}
      {failure !== undefined && (
        <p class="form-failure" role="alert">
          {failure}
        </p>
      )}
    </div>
  );
}

/** What was said before the question: the last words of the model, the rest folded. */
function Before({ question }: { readonly question: QuestionView }) {
  const messages = (question.before ?? []).flatMap((value) => readMessage(value) ?? []);
  const said = messages.filter(({ role, text }) => text !== "" && (role === "user" || role === "assistant"));
  const last = said.at(-1);
  const earlier = said.slice(0, -1);
  if (last === undefined) return null;
  return (
    <div class="before">
      {earlier.length > 0 && (
        <details class="earlier">
          <summary>{plural(earlier.length, "earlier message")}</summary>
          {earlier.map((message, index) =>
            message.role === "user" ? (
              <Prompt key={index} message={message} />
            ) : (
              <p key={index} class="t2">
                <SafeText text={message.text} />
              </p>
            ),
          )}
        </details>
      )}
      <div class="msg ai">
        <div class="who">
          <Icon name={last.role === "user" ? "ask" : "model"} size={11} />
          {last.role === "user" ? "the user" : question.path.split("/").at(-2) || question.run.graph} said before
        </div>
        <p class="t2">
          <SafeText text={last.text} />
        </p>
      </div>
    </div>
  );
}

function useListKeys(questions: readonly QuestionView[], current: QuestionView | undefined): void {
  useEffect(() => {
    const keys = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { j: 1, k: -1 }[event.key.toLowerCase()];
      const next =
        step === undefined ? undefined : questions[questions.findIndex(({ id }) => id === current?.id) + step];
      if (next === undefined) return;
      event.preventDefault();
      go({ view: "inbox", question: next.id });
      document.querySelector<HTMLElement>(`[data-question="${CSS.escape(next.id)}"]`)?.focus();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [questions, current]);
}
