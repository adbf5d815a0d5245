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

interface Texts {
  readonly state: string | undefined;
  readonly output: string | undefined;
}

/** A new run that begins at a save, with another state or another output of the node that ran last. */
export function ForkDialog({ moment, save, readState, onClose }: ForkDialogProps) {
  const { client } = useSession();
  const { run } = moment;
  const node = save.ran.at(-1);
  const [before, setBefore] = useState<Texts | undefined>();
  const [now, setNow] = useState<Texts>({ state: undefined, output: undefined });
  const [failure, setFailure] = useState<string | undefined>();
  const [isSending, setIsSending] = useState(false);
  const [key] = useState(newKey);
  useEffect(() => {
    Promise.all([readState(save.id, ""), node === undefined ? undefined : readState(save.id, node)]).then(
      ([root, own]) => {
        const texts = { state: jsonOf(root), output: own?.output === undefined ? undefined : json(own.output) };
        setBefore(texts);
        setNow(texts);
      },
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [readState, save, node]);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setIsSending(true);
    try {
      const result = await client.post<RunResult>("fork", {
        ref: run.view.run.ref,
        entry: save.id,
        ...(now.state === before?.state ? {} : { states: { "": JSON.parse(now.state ?? "null") } }),
        ...(now.output === before?.output || node === undefined
          ? {}
          : { outputs: { [node]: JSON.parse(now.output ?? "null") } }),
        key,
      });
      onClose();
      go({ view: "run", ref: result.run.ref });
    } catch (error) {
      setIsSending(false);
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title={`Fork from save ${run.saves.indexOf(save) + 1}`} onClose={onClose}>
      <form onSubmit={send}>
        <div class="fields">
          <p class="t2">A new run begins here and goes on for real. This one stays as it is.</p>
          {now.state !== undefined && (
            <JsonField
              label="State"
              text={now.state}
              was={before?.state}
              onChange={(state) => setNow((old) => ({ ...old, state }))}
            />
          )}
          {now.output !== undefined && (
            <JsonField
              label={`Output of ${node}`}
              text={now.output}
              was={before?.output}
              onChange={(output) => setNow((old) => ({ ...old, output }))}
            />
          )}
          {before !== undefined && now.state === undefined && now.output === undefined && (
            <p class="t3">This save has nothing that can be edited.</p>
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
  readonly text: string;
  readonly was: string | undefined;
  onChange(text: string): void;
}

function JsonField({ label, text, was, onChange }: JsonFieldProps) {
  const id = `json ${label}`;
  return (
    <div class={`field${text === was ? "" : " changed"}`}>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="code"
        rows={8}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}

function jsonOf({ state }: StateView): string | undefined {
  return state === undefined ? undefined : json(state);
}

function json({ value }: NonNullable<StateView["state"]>): string {
  return JSON.stringify(plainOf(value), null, 2) ?? "null";
}
