/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import type { RunView, StateView } from "../../api.js";
import { hasFolded, type Level } from "../../layout/level.js";
import { savedPage } from "../../saved-page.js";
import { messageOf } from "../client.js";
import { Dialog } from "../parts/dialog.js";
import { plural } from "../parts/format.js";
import { useSession } from "../session.js";

interface SaveDialogProps {
  readonly view: RunView;
  readonly path: string;
  onClose(): void;
}

/** At most so many states are put into a saved page. */
const states = 200;

/** Says what the file will have in it before it is written: whoever gets it can read all of that. */
export function SaveDialog({ view, path, onClose }: SaveDialogProps) {
  const { client } = useSession();
  const [failure, setFailure] = useState<string | undefined>();
  const [isSaving, setIsSaving] = useState(false);
  const values = view.spans.reduce(
    (sum, { input, output }) => sum + Number(input !== undefined) + Number(output !== undefined),
    0,
  );
  const saves = (view.saves ?? []).slice(-states);
  const save = async (): Promise<void> => {
    setIsSaving(true);
    try {
      const found: Record<string, StateView> = {};
      for (const { id } of saves)
        found[`${id} `] = await client.get<StateView>(`${path}/state`, { entry: id, path: "" });
      const isFolded = view.level !== undefined && hasFolded(view.level);
      const opened = isFolded ? await client.get<Level | null>(`${path}/level?all`) : null;
      const [player, style] = await Promise.all([client.asset("player.js"), client.asset("page.css")]);
      const html = await savedPage(
        { view, ...(opened !== null && { opened }), states: found, savedAt: Date.now() },
        { player, style },
      );
      download(html, `${view.run.app ?? view.run.graph}-${view.run.checkpointId ?? view.run.ref}.html`);
      onClose();
    } catch (error) {
      setIsSaving(false);
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Save as page" onClose={onClose}>
      <div class="fields">
        <p>One file that shows this run without a server. Whoever gets it can read all that is in it:</p>
        <ul class="counts num">
          <li>
            {plural(view.spans.length, "span")} with {plural(values, "input or output", "inputs and outputs")}
          </li>
          <li>{plural(saves.length, "save")} with their states</li>
          {view.questions.length > 0 && <li>{plural(view.questions.length, "open question")}</li>}
          {view.turns !== undefined && <li>{plural(view.turns.length, "turn")} of the conversation</li>}
        </ul>
        <p class="t3">
          Passwords, tokens and keys are masked, and what the server redacts is left out. Everything else is there as it
          is.
        </p>
        {failure !== undefined && (
          <p class="form-failure" role="alert">
            {failure}
          </p>
        )}
      </div>
      <div class="acts">
        <button type="button" class="btn primary" disabled={isSaving} onClick={save}>
          {isSaving ? "Saving …" : "Save"}
        </button>
      </div>
    </Dialog>
  );
}

function download(html: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  link.download = name.replace(/[^\w.-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
