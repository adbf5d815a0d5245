/** @jsxImportSource preact */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { AnswerResult, QuestionView } from "../../api.js";
import { messageOf, newKey, RequestFailure } from "../client.js";
import { Icon } from "../parts/icon.js";
import { JsonView } from "../parts/json-view.js";
import { field as memberOf } from "../parts/plain-value.js";
import { SafeText } from "../parts/safe-text.js";
import { isSendKey, SendKey } from "../parts/send-key.js";
import { useSession } from "../session.js";
import { type Draft, draftOf, type Mistake, readDraft } from "./draft.js";
import { type FieldModel, fieldModel } from "./field-model.js";
import { Field, Fields } from "./fields.js";
import { plainOf } from "./plain.js";

interface QuestionFormProps {
  readonly question: QuestionView;
  /** In the conversation of a run: without the frame around it. */
  readonly isCompact?: boolean;
  onDone(result: AnswerResult | undefined): void;
  /** Keeps an answer, to send it together with those of the same run. */
  readonly keep?: ((value: unknown) => void) | undefined;
  /** Stands at the right of the buttons. */
  readonly beside?: preact.ComponentChildren;
}

/** What answers a question: an approval, a form of its schema, a text, or Continue. */
export function QuestionForm(props: QuestionFormProps) {
  const { question } = props;
  const sender = useSender(props);
  switch (question.kind) {
    case "approval":
      return <Approval {...props} sender={sender} />;
    case "stop":
      return (
        <form class="card" onSubmit={sender.submit(() => null)}>
          <Actions label="Continue" sender={sender} />
        </form>
      );
    case "ask":
      return <SchemaForm {...props} sender={sender} />;
    default:
      return <TextForm {...props} sender={sender} />;
  }
}

interface Sender {
  readonly isSending: boolean;
  readonly failure: string | undefined;
  /** By the paths of fields, as the server says. */
  readonly mistakes: readonly Mistake[];
  /** `read` returns the value, or `undefined` if it is not complete. */
  submit(read: () => unknown): (event: Event) => void;
  readonly canKeep: boolean;
  readonly beside: preact.ComponentChildren;
}

function useSender({ question, onDone, keep, beside }: QuestionFormProps): Sender {
  const { client, say } = useSession();
  const [key] = useState(newKey);
  const [isSending, setIsSending] = useState(false);
  const [failure, setFailure] = useState<string | undefined>();
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([]);
  const send = async (value: unknown): Promise<void> => {
    setIsSending(true);
    setFailure(undefined);
    try {
      const body = { ref: question.run.ref, answers: { [question.id]: value }, key };
      const result = await client.post<AnswerResult>("answer", body);
      say(result.goesOn ? "Answered. The run goes on." : "Answered.");
      onDone(result);
    } catch (error) {
      setIsSending(false);
      const fields = error instanceof RequestFailure ? error.fields : [];
      setMistakes(fields.map(({ path, message }) => ({ path: path.join("."), message })));
      setFailure(messageOf(error));
      say(messageOf(error), true);
    }
  };
  const submit = (read: () => unknown) => (event: Event) => {
    event.preventDefault();
    if (isSending) return;
    const value = read();
    if (value === undefined) return;
    const isKept = event instanceof SubmitEvent && event.submitter?.getAttribute("name") === "keep";
    if (isKept && keep !== undefined) keep(value);
    else void send(value);
  };
  return { isSending, failure, mistakes, submit, canKeep: keep !== undefined, beside };
}

interface FormProps extends QuestionFormProps {
  readonly sender: Sender;
}

function Actions({ label, sender, children }: { label: string; sender: Sender; children?: preact.ComponentChildren }) {
  return (
    <>
      {sender.failure !== undefined && (
        <p class="form-failure" role="alert">
          <SafeText text={sender.failure} />
        </p>
      )}
      <div class="acts">
        <button type="submit" class="btn primary" disabled={sender.isSending}>
          {sender.isSending ? "Sending …" : label} <SendKey />
        </button>
        {children}
        {sender.canKeep && (
          <button type="submit" name="keep" class="btn" disabled={sender.isSending}>
            Keep for later
          </button>
        )}
        {sender.beside}
      </div>
    </>
  );
}

/** Sends the form that the focus is in. */
function sendByKey(event: KeyboardEvent): void {
  if (!isSendKey(event)) return;
  event.preventDefault();
  if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit();
}

/** The arguments of the call are a form: what is changed is sent with the approval. */
function Approval({ question, sender, isCompact }: FormProps) {
  const { info, tool } = question;
  const model = useMemo(() => argumentsModel(question), [question]);
  const given = useMemo(() => plainOf(memberOf(info.value, "input")), [info]);
  const before = useMemo(() => draftOf(model, given), [model, given]);
  const [draft, setDraft] = useState(before);
  const [isDeclining, setIsDeclining] = useState(false);
  const [isEditing, setIsEditing] = useState(isCompact !== true);
  const [reason, setReason] = useState("");
  const isEdited = JSON.stringify(draft) !== JSON.stringify(before);
  const canEdit = model.type === "object" || model.type === "json";
  const { value, mistakes } = readDraft(model, draft);
  const shown = [...mistakes, ...sender.mistakes.map(withoutArguments)];
  const name = tool?.name ?? String(memberOf(info.value, "toolName") ?? question.key ?? "the tool");
  const read = (): unknown => {
    if (isDeclining) return reason === "" ? { approved: false } : { approved: false, reason };
    if (isEdited && mistakes.length > 0) return undefined;
    return isEdited ? { approved: true, arguments: value } : { approved: true };
  };
  return (
    <form class={`card${isCompact ? " compact" : ""}`} onSubmit={sender.submit(read)} onKeyDown={sendByKey}>
      {!isCompact && (
        <div class="ch">
          <span class="ico">
            <Icon name="tool" />
          </span>
          <div>
            <div class="tool-title">{name}</div>
            {tool?.description !== undefined && (
              <div class="hint">
                <SafeText text={tool.description} />
              </div>
            )}
          </div>
          <span class="grow" />
          {isEdited && <span class="pill running">edited</span>}
        </div>
      )}
      {isDeclining ? (
        <div class="fields">
          <Reason reason={reason} onChange={setReason} />
        </div>
      ) : (
        isEditing && (
          <div class="fields">
            {canEdit ? (
              <RootFields model={model} draft={draft} was={before} mistakes={shown} onChange={setDraft} />
            ) : (
              <JsonView value={memberOf(info.value, "input")} label="Arguments" />
            )}
          </div>
        )
      )}
      <Actions label={isDeclining ? "Decline" : isEdited ? "Approve with changes" : "Approve"} sender={sender}>
        {isCompact && !isEditing && canEdit && !isDeclining && (
          <button type="button" class="btn" onClick={() => setIsEditing(true)}>
            Edit arguments
          </button>
        )}
        <button type="button" class="btn quiet-edge" onClick={() => setIsDeclining(!isDeclining)}>
          {isDeclining ? "Back" : "Decline…"}
        </button>
      </Actions>
    </form>
  );
}

function Reason({ reason, onChange }: { readonly reason: string; onChange(text: string): void }) {
  const ref = useRef<HTMLTextAreaElement>(null);
  // at once: what is typed meanwhile would press the button, and a space would take the decision back
  useLayoutEffect(() => ref.current?.focus(), []);
  return (
    <div class="field">
      <label for="reason">
        Reason<span class="optional">optional</span>
      </label>
      <textarea
        id="reason"
        ref={ref}
        rows={2}
        value={reason}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <span class="hint">The model reads it.</span>
    </div>
  );
}

/** `arguments` is the object or its JSON as a text; the form is that of the object. */
function argumentsModel({ schema, tool }: QuestionView): FieldModel {
  const model = fieldModel(schema);
  const inner = model.type === "object" ? model.fields.find(({ name }) => name === "arguments")?.field : undefined;
  const variants = inner?.type === "variants" ? inner.variants : inner === undefined ? [] : [inner];
  return variants.find(({ type }) => type === "object") ?? fieldModel(tool?.parameters);
}

function withoutArguments({ path, message }: Mistake): Mistake {
  return { path: path.replace(/^arguments\.?/, ""), message };
}

interface RootFieldsProps {
  readonly model: FieldModel;
  readonly draft: Draft;
  readonly was?: Draft | undefined;
  readonly mistakes: readonly Mistake[];
  onChange(draft: Draft): void;
}

/** The fields of a form: of an object its members, without a frame. */
export function RootFields({ model, draft, was, mistakes, onChange }: RootFieldsProps) {
  if (model.type === "object") {
    return (
      <Fields
        fields={model.fields}
        drafts={typeof draft === "object" && "fields" in draft ? draft.fields : {}}
        was={typeof was === "object" && "fields" in was ? was.fields : undefined}
        path=""
        mistakes={mistakes}
        onChange={(fields) => onChange({ fields })}
      />
    );
  }
  return (
    <Field
      name="Answer"
      path=""
      field={model}
      draft={draft}
      was={was}
      isRequired
      mistakes={mistakes}
      onChange={onChange}
    />
  );
}

function SchemaForm({ question, sender, isCompact }: FormProps) {
  const model = useMemo(() => fieldModel(question.schema), [question]);
  const [draft, setDraft] = useState(() => draftOf(model, model.initial));
  const [isTried, setIsTried] = useState(false);
  const { value, mistakes } = readDraft(model, draft);
  const read = (): unknown => {
    setIsTried(true);
    return mistakes.length > 0 ? undefined : value;
  };
  const shown = isTried ? [...mistakes, ...sender.mistakes] : sender.mistakes;
  return (
    <form class={`card${isCompact ? " compact" : ""}`} onSubmit={sender.submit(read)} onKeyDown={sendByKey} noValidate>
      <div class="fields">
        <RootFields model={model} draft={draft} mistakes={shown} onChange={setDraft} />
      </div>
      <Actions label="Answer" sender={sender} />
    </form>
  );
}

function TextForm({ sender, isCompact, question }: FormProps) {
  const [text, setText] = useState("");
  const id = `answer-${question.id}`;
  return (
    <form class={`card${isCompact ? " compact" : ""}`} onSubmit={sender.submit(() => text)} onKeyDown={sendByKey}>
      <div class="fields">
        <div class="field">
          <label for={id}>Answer</label>
          <textarea id={id} rows={3} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </div>
      </div>
      <Actions label="Answer" sender={sender} />
    </form>
  );
}
