import { KumikoError, messageOf } from "../errors.js";
import { folderPath } from "./file-path.js";
import type { Files } from "./files.js";
import { readSkill } from "./front-matter.js";
import { textOfFile } from "./text-pages.js";

/** A skill as the instructions name it, and where it is. @internal */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly folder: string;
}

/** A folder whose `SKILL.md` cannot be used, and why. */
export interface BrokenSkill {
  readonly path: string;
  readonly message: string;
}

const fileName = "SKILL.md";
/** A file of instructions is for a model to read. */
const largest = 1_000_000;
const atOnce = 16;

/** Every skill in a folder, in the order of their names. */
export async function listSkills(
  files: Files,
  path: string,
): Promise<{ readonly skills: ListedSkill[]; readonly broken: BrokenSkill[] }> {
  const start = path === "" ? "" : `${path}/`;
  const folders: string[] = [];
  for await (const found of files.list(start)) {
    const [name = "", file, ...rest] = found.slice(start.length).split("/");
    if (file === fileName && rest.length === 0) folders.push(`${start}${name}`);
  }
  const read: (ListedSkill | BrokenSkill)[] = [];
  for (let index = 0; index < folders.length; index += atOnce)
    read.push(...(await Promise.all(folders.slice(index, index + atOnce).map((folder) => skillIn(files, folder)))));
  const skills = new Map<string, ListedSkill>();
  const broken: BrokenSkill[] = [];
  for (const skill of read) {
    if ("message" in skill) broken.push(skill);
    else if (!skills.has(skill.name)) skills.set(skill.name, skill);
    else broken.push({ path: `${skill.folder}/${fileName}`, message: `Another skill has the name "${skill.name}".` });
  }
  return { skills: [...skills.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), broken };
}

async function skillIn(files: Files, folder: string): Promise<ListedSkill | BrokenSkill> {
  try {
    const { name, description } = await skillAt(files, folder);
    return { name, description, folder };
  } catch (error) {
    if (KumikoError.is(error) && error.code === "PACKAGE_MISSING") throw error;
    return { path: `${folder}/${fileName}`, message: messageOf(error) };
  }
}

/** The instructions of a skill. */
export async function skillAt(files: Files, folder: string): ReturnType<typeof readSkill> {
  return readSkill(await textAt(files, `${folder}/${fileName}`));
}

/** The text of a file of a skill. */
export async function textAt(files: Files, path: string): Promise<string> {
  const file = await files.read(path);
  if (file === undefined) throw new Error(`There is no file ${path}.`);
  if (file.data.length > largest) throw new Error(`It has ${file.data.length} bytes, and the limit is ${largest}.`);
  const text = textOfFile(file.data);
  if (text === undefined) throw new Error(`${path} is a binary file.`);
  return text;
}

/** The paths of the other files of a skill, below its folder. */
export async function filesOfSkill(files: Files, folder: string): Promise<string[]> {
  const start = `${folderPath(folder)}/`;
  const found: string[] = [];
  for await (const path of files.list(start)) {
    const name = path.slice(start.length);
    if (name !== fileName) found.push(name);
    if (found.length === 100) break;
  }
  return found;
}
