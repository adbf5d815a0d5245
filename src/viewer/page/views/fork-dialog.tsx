/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import type { RunResult, StateView } from "../../api.js";
import { messageOf, newKey } from "../client.js";
import { plainOf } from "../form/plain.js";
import { Dialog } from "../parts/dialog.js";
import { SafeText } from "../parts/safe-text.js";
import { go } from "../route.js";
import type { Moment } from "../run/moment.js";
import type { ShownSave } from "../run/run-model.js";
import { useSession } from "../session.js";

interface ForkDialogProps {
  readonly moment: Moment;
  readonly save: ShownSave;
  readState(entry: string, path: string): Promise<StateView>;
  onClose(): void;
}

/** What can be edited, as JSON. */
interface Texts {
  readonly input?: string | undefined;
  readonly state?: string | undefined;
  readonly output?: string | undefined;
}

/** A new run that begins at a save: with another state, another output of the node that ran last, or at the start another input. */
export function ForkDialog({ moment, save, readState, onClose }: ForkDialogProps) {
  const { client } = useSession();
  const { run } = moment;
  const node = save.ran.at(-1);
  const [before, setBefore] = useState<Texts | undefined>();
  const [now, setNow] = useState<Texts>({});
  const [isTried, setIsTried] = useState(false);
  const [failure, setFailure] = useState<string | undefined>();
  const [isSending, setIsSending] = useState(false);
  const [key] = useState(newKey);
  useEffect(() => {
    Promise.all([readState(save.id, ""), node === undefined ? undefined : readState(save.id, node)]).then(
      ([root, own]) => {
        const isStart = run.saves.indexOf(save) === 0 || save.ran.length + (save.calls?.length ?? 0) === 0;
        const texts = {
          input: isStart ? json(root.input) : undefined,
          state: json(root.state),
          output: json(own?.output),
        };
        setBefore(texts);
        setNow(texts);
      },
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [readState, save, node, run.saves]);
  const edited = (name: keyof Texts): boolean => now[name] !== before?.[name];
  const wrong = (["input", "state", "output"] as const).filter((name) => edited(name) && notJson(now[name]));
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setIsTried(true);
    if (wrong.length > 0 || isSending) return;
    setIsSending(true);
    setFailure(undefined);
    const outputs = {
      ...(edited("input") && { start: JSON.parse(now.input ?? "null") }),
      ...(edited("output") && node !== undefined && { [node]: JSON.parse(now.output ?? "null") }),
    };
    try {
      const result = await client.post<RunResult>("fork", {
        ref: run.view.run.ref,
        entry: save.id,
        ...(edited("state") && { states: { "": JSON.parse(now.state ?? "null") } }),
        ...(Object.keys(outputs).length > 0 && { outputs }),
        key,
      });
      onClose();
      go({ view: "run", ref: result.run.ref });
    } catch (error) {
      setIsSending(false);
      setFailure(messageOf(error));
    }
  };
  const named = [
    ["input", "Input"],
    ["state", "State"],
    ["output", `Output of ${node}`],
  ] as const;
  const fields = named.filter(([name]) => now[name] !== undefined);
  return (
    <Dialog title={`Fork from save ${run.saves.indexOf(save) + 1}`} onClose={onClose}>
      <form onSubmit={send}>
        <div class="fields">
          <p class="t2">A new run begins here and goes on for real. This one stays as it is.</p>
          {before === undefined && failure === undefined && <p class="t3">Reading the save …</p>}
          {fields.map(([name, label]) => (
            <JsonField
              key={name}
              label={label}
              text={now[name]}
              was={before?.[name]}
              mistake={isTried && edited(name) ? notJson(now[name]) : undefined}
              onChange={(text) => setNow((old) => ({ ...old, [name]: text }))}
            />
          ))}
          {before !== undefined && fields.length === 0 && (
            <p class="t3">Nothing can be edited at this save: the run goes on from here as it did.</p>
          )}
          {failure !== undefined && (
            <p class="form-failure" role="alert">
              <SafeText text={failure} />
            </p>
          )}
        </div>
        <div class="acts">
          <button
            type="submit"
            class="btn primary"
            disabled={isSending || (before === undefined && failure === undefined)}
          >
            {isSending ? "Forking …" : "Fork and go on"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface JsonFieldProps {
  readonly label: string;
  readonly text: string | undefined;
  readonly was: string | undefined;
  readonly mistake: string | undefined;
  onChange(text: string): void;
}

function JsonField({ label, text = "", was, mistake, onChange }: JsonFieldProps) {
  const id = `json ${label}`;
  return (
    <div class={`field${text === was ? "" : " changed"}`}>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="code"
        rows={Math.max(2, Math.min(10, text.split("\n").length))}
        spellcheck={false}
        aria-invalid={mistake !== undefined}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {mistake !== undefined && (
        <span class="err" role="alert">
          {mistake}
        </span>
      )}
    </div>
  );
}

function json(view: StateView["state"]): string | undefined {
  return view === undefined ? undefined : (JSON.stringify(plainOf(view.value), null, 2) ?? "null");
}

function notJson(text = ""): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${messageOf(error)}`;
  }
}
