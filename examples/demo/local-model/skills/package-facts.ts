import { packageInfo } from "../../tools/package-info.js";
import { ask, type Plan } from "../plan.js";
import { after, packageNamesIn } from "../question.js";
import type { Skill } from "../skill.js";
import { bullets, count, enumerate, some } from "../wording.js";

export const dependencies: Skill = {
  example: "What does vitest depend on?",
  understand({ text, before }) {
    const subject =
      /\b(?:what|which\b.*?) (?:does|do|is|are)\s+(.+?)\s+(?:depend(?:s|ing|ent)?(?: directly)? on|need|require|use)\b/i.exec(
        text,
      )?.[1] ??
      /\bdependenc(?:y|ies) (?:of|does|do|has|have|are)\b(.*)/i.exec(text)?.[1] ??
      /\b(\S+?)(?:'s|’s) (?:\w+ )?dependencies\b/i.exec(text)?.[1] ??
      (/\b(?:list|show|which|what)\b.*\bdependencies\b/i.test(text) ? "" : undefined);
    return subject === undefined ? undefined : tellDependencies(packageNamesIn({ text: subject, before })[0]);
  },
};

export const scripts: Skill = {
  example: "Which scripts are there, and how do I run the tests?",
  understand(clause) {
    if (/\bscripts?\b/i.test(clause.text)) {
      return tellScripts(after(clause, /\bscripts? (?:called |named )?/i)?.text.match(/^["'`]?([\w:.-]+)/)?.[1]);
    }
    const task =
      /\bhow (?:do|can|could|should) (?:i|we|you|one) (?:run |start |execute )?(?:the |this |it )?["'`]?([\w:-]+)/i;
    const wanted = task.exec(clause.text)?.[1];
    return wanted === undefined ? undefined : tellScripts(wanted);
  },
};

export const packageFacts: Skill = {
  example: "Which version and license does ajv have?",
  understand(clause) {
    const subject = /^what(?: is|'s|’s) (?:the (?:package|library) )?["'`]?(@?[\w/-]+)["'`]?$/i.exec(clause.text)?.[1];
    if (subject !== undefined && packageNamesIn({ ...clause, text: subject }).length > 0) return tellFacts(subject);
    if (!/\b(?:versions?|licen[cs]ed?s?)\b/i.test(clause.text)) return undefined;
    const rest = {
      ...clause,
      text: clause.text.replace(/\b(?:current|latest|exact|versions?|licen[cs]ed?s?)\b/gi, " "),
    };
    const [name] = packageNamesIn(rest);
    // of all packages at once nothing is known
    return name === undefined && /\b(?:packages|dependencies|libraries)\b/i.test(rest.text)
      ? undefined
      : tellFacts(name);
  },
};

function* tellDependencies(name: string | undefined): Plan {
  const found = yield* askAbout(name);
  if (!found.ok) return found.reason;
  const { name: known, version, dependencies: needed, path } = found.value;
  const subject = `${known}${version === "" ? "" : ` ${version}`}`;
  if (needed.length === 0) return `${subject} depends on nothing.`;
  const kinds = [...new Set(needed.map(({ kind }) => kind))];
  const lines = kinds.map((kind) => {
    const names = needed.filter((each) => each.kind === kind).map(({ name: each, range }) => `${each} ${range}`);
    return `${kind}: ${path === "." ? enumerate(names) : some(names, 12)}`;
  });
  return `${subject} asks for ${count(needed.length, "package")}:\n${bullets(lines)}`;
}

function* tellScripts(wanted: string | undefined): Plan {
  const found = yield* askAbout(undefined);
  if (!found.ok) return `I could not look for scripts. ${found.reason}`;
  const all = Object.entries(found.value.scripts);
  if (all.length === 0) return "The package.json of this folder has no scripts.";
  const stem = wanted?.toLowerCase().replace(/(?<=.{3})s$/, "");
  const fitting = all.filter(([name]) => stem !== undefined && name.toLowerCase().includes(stem));
  if (fitting.length === 0) return `package.json has ${count(all.length, "script")}:\n${bullets(all.map(inWords))}`;
  return `${fitting.length === 1 ? "This script does" : "These scripts do"} that:\n${bullets(fitting.map(inWords))}`;
}

function* tellFacts(name: string | undefined): Plan {
  const found = yield* askAbout(name);
  if (!found.ok) return found.reason;
  const { name: known, version, otherVersions, license, description } = found.value;
  const besides = otherVersions.length === 0 ? "" : ` (and ${enumerate(otherVersions)} inside other packages)`;
  return [
    version === "" ? `${known} names no version${besides}.` : `${known} is at version ${version}${besides}.`,
    license === "" ? "It names no license." : `Its license is ${license}.`,
    ...(description === "" ? [] : [`About itself it says: ${description}`]),
  ].join(" ");
}

function askAbout(name: string | undefined) {
  return ask(
    packageInfo,
    name === undefined ? {} : { name },
    `Let me read the package.json${name === undefined ? "" : ` of ${name}`}.`,
  );
}

function inWords([name, command]: [string, string]): string {
  return `npm run ${name}: ${command}`;
}
