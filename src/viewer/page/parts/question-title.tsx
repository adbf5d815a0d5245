/** @jsxImportSource preact */
import type { AskedView, QuestionView } from "../../api.js";
import { brief, field, fieldsOf, textOf } from "./plain-value.js";
import { SafeText } from "./safe-text.js";

/** What is asked, in one line. */
export function questionTitle({ kind, info, key, path, tool }: AskedView & Pick<QuestionView, "tool">): string {
  if (kind === "approval") return `May ${tool?.name ?? textOf(field(info.value, "toolName")) ?? key} run?`;
  if (kind === "stop") return `Continue at ${path || key || "this point"}?`;
  const titles = ["title", "question", "message", "text"].map((name) => textOf(field(info.value, name)));
  return textOf(info.value) ?? titles.find((text) => text !== undefined) ?? `${key ?? path} asks`;
}

/** What a row of the inbox says. */
export function questionBrief(question: QuestionView): string {
  if (question.kind !== "approval") return questionTitle(question);
  const values = brief(field(question.info.value, "input"));
  return `${questionTitle(question).replace(/^May (.*) run\?$/, "$1")}${values === "" ? "" : `: ${values}`}`;
}

/** The question, and what came with it. */
export function QuestionTitle({ question }: { readonly question: QuestionView }) {
  const title = questionTitle(question);
  const call = question.kind === "approval" ? /^May (.*) run\?$/.exec(title)?.[1] : undefined;
  const facts =
    question.kind === "approval"
      ? []
      : [...fieldsOf(question.info.value)].filter(([, value]) => value !== title && brief(value) !== "");
  return (
    <>
      <h2 class="question">
        {call === undefined ? (
          <SafeText text={title} />
        ) : (
          <>
            May <code>{call}</code> run?
          </>
        )}
      </h2>
      {facts.length > 0 && (
        <dl class="kv num">
          {facts.map(([name, value]) => (
            <Fact key={name} name={name} value={brief(value, 200)} />
          ))}
        </dl>
      )}
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>
        <SafeText text={name} hasLinks={false} />
      </dt>
      <dd>
        <SafeText text={value} />
      </dd>
    </>
  );
}
