import { isConflict } from "../checkpoint/errors.js";
import type { ToolContext } from "../components/tool.js";
import type { Files } from "./files.js";
import { textOfFile } from "./text-pages.js";

/** A change of a file: `old` becomes `new`. */
export interface Edit {
  readonly path: string;
  readonly old: string;
  readonly new: string;
  /** Everywhere, and not where it stands once. */
  readonly all: boolean;
}

/** What an edit is going to do. It is kept before it is done: a call that is repeated after a crash sees whether it was. */
interface Plan {
  readonly version: string;
  readonly count: number;
  /** What the file has afterwards, as a hash. */
  readonly after: string;
}

const mostAttempts = 20;

/** Edits a file, on its newest content: when others write meanwhile, it is read again. Returns how often `old` was replaced. */
export async function editFile(files: Files, edit: Edit, ctx: ToolContext): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const plan: Plan = await ctx.once(`edit ${attempt}`, async () => {
      const { text, version } = await readText(files, edit.path);
      const { count, edited } = applied(edit, text);
      return { version, count, after: await hashOf(edited) };
    });
    const { text, version } = await readText(files, edit.path);
    if ((await hashOf(text)) === plan.after) return plan.count;
    try {
      if (version === plan.version) {
        await files.write(edit.path, encode(applied(edit, text).edited), { ifVersion: version });
        return plan.count;
      }
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    if (attempt === mostAttempts) throw new Error(`${edit.path} is changed by others all the time. Read it again.`);
  }
}

async function readText(files: Files, path: string): Promise<{ readonly text: string; readonly version: string }> {
  const file = await files.read(path);
  if (file === undefined) throw new Error(`There is no file ${path}. Write it with write_file.`);
  const text = textOfFile(file.data);
  if (text === undefined) throw new Error(`${path} is a binary file, and cannot be edited.`);
  return { text, version: file.version };
}

function applied(edit: Edit, text: string): { readonly count: number; readonly edited: string } {
  const parts = text.split(edit.old);
  const count = parts.length - 1;
  if (count === 0)
    throw new Error(`The text is not in ${edit.path}. Read the file, and copy it exactly, with its spaces.`);
  if (count > 1 && !edit.all)
    throw new Error(`The text is ${count} times in ${edit.path}. Give more of its surroundings, or set all: true.`);
  return { count, edited: parts.join(edit.new) };
}

const encoder = new TextEncoder();
const encode = (text: string): Uint8Array => encoder.encode(text);

async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
