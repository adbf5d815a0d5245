import { type DependentsReport, packageDependents } from "../../tools/package-dependents.js";
import { ask, askForText, type Outcome, type Plan, together } from "../plan.js";
import { after, type Clause, packageNamesIn } from "../question.js";
import type { Skill } from "../skill.js";
import { bullets, count, enumerate, some } from "../wording.js";
import { isAboutLargest, namesOfLargest } from "./package-sizes.js";

export const dependents: Skill = {
  example: "Who depends on zod, and why is it installed?",
  understand(clause) {
    const why = after(clause, /\bwhy (?:is|are|do we (?:have|need)|does\b.*\b(?:have|need)|have)\b/i);
    if (why !== undefined) return explainAll(namesIn(why, clause));
    const who =
      after(clause, /\b(?:who|what|which\b.*?|anything|anyone|something) (?:else )?(?:depends?|rel(?:y|ies)) on\b/i) ??
      after(clause, /\bdepend(?:s|ed|ing)? (?:up)?on\b|\bdependents? (?:of|on)\b/i) ??
      after(clause, /\b(?:who|which packages?|what packages?) (?:uses?|needs?|requires?|pulls? in|brings?)\b/i);
    if (who !== undefined) return tellDependents(namesIn(who, clause));
    const used = /\bis (\S+) (?:used|needed|required|installed)\b/i.exec(clause.text)?.[1];
    return used === undefined ? undefined : tellDependents(namesIn({ ...clause, text: used }, clause));
  },
};

/** Names that stand there; else what "them" or "it" speaks of; none: the question is about all packages. */
function* namesIn(part: Clause, { before }: Clause): Plan<string[]> {
  const names = packageNamesIn(part);
  if (names.length > 0 || before === undefined || !/\b(?:them|they|those|these|it|that)\b/i.test(part.text))
    return names;
  return isAboutLargest(before) ? yield* namesOfLargest(before) : packageNamesIn(before);
}

function* tellDependents(subject: Plan<string[]>): Plan {
  const names = yield* subject;
  const found = yield* askForDependents(
    names.length === 0 ? {} : { packages: names },
    "Let me see who depends on what.",
  );
  if (!found.ok) return `I could not find out who depends on what. ${found.reason}`;
  const { packages, installed } = found.value;
  if (installed === 0) return "No packages are installed in this folder, so nothing depends on anything.";
  const lines = packages.map(({ name, versions, dependents: who }) => {
    if (versions.length === 0 && who.length === 0) return `${name} is not installed, and nobody needs it`;
    const several = versions.length > 1 ? ` (installed in ${versions.length} versions: ${enumerate(versions)})` : "";
    const absent = versions.length === 0 ? " (not installed)" : "";
    if (who.length === 0) return `${name}${several} is needed by nobody`;
    return `${name}${several}${absent} is needed by ${some(who.map(inWords), 6)}`;
  });
  if (lines.length === 1) return `${lines[0]}.`;
  return `${names.length === 0 ? `Of ${count(installed, "package")}, these are needed most` : "Who needs them"}:\n${bullets(lines)}`;
}

/**
 * Other hosts have a tool of this name, and models reach for what they know. Where it is unknown, the host's answer says
 * what there is instead.
 */
function* askForDependents(input: { packages?: string[] }, say: string): Plan<Outcome<DependentsReport>> {
  const habit = yield* askForText("npm_dependents", input, say);
  const isElsewhere = habit.ok && habit.value.includes(packageDependents.id);
  const remark = isElsewhere ? "There is no npm_dependents here, but package_dependents tells the same." : "";
  return yield* ask(packageDependents, input, remark);
}

function inWords({ name, kind }: { readonly name: string; readonly kind: string }): string {
  switch (kind) {
    case "peerDependencies":
      return `${name} (peer)`;
    case "optionalDependencies":
      return `${name} (optional)`;
    case "devDependencies":
      return `${name} (for development)`;
    default:
      return name;
  }
}

const MAX_ROUNDS = 6;

function* explainAll(subject: Plan<string[]>): Plan {
  const names = yield* subject;
  if (names.length === 0) return "Please name the package whose reason you want to know.";
  return (yield* together(names.map(explain))).join("\n");
}

/** Goes from dependents to their dependents, until it comes to the project itself. */
function* explain(name: string): Plan {
  const causes = new Map<string, string | undefined>([[name, undefined]]);
  let round: string[] = [name];
  for (let rounds = 0; round.length > 0 && rounds < MAX_ROUNDS; rounds++) {
    const say: string = rounds === 0 ? `Let me see who asks for ${name}.` : `And who asks for ${some(round, 3)}?`;
    const input = { packages: round.slice(0, 20) };
    const plan = rounds === 0 ? askForDependents(input, say) : ask(packageDependents, input, say);
    const found: Outcome<DependentsReport> = yield* plan;
    if (!found.ok) return `I could not find out why ${name} is installed. ${found.reason}`;
    const next: string[] = [];
    for (const { name: needed, versions, dependents: who } of found.value.packages) {
      if (needed === name && versions.length === 0) return `${name} is not installed in this folder.`;
      for (const dependent of who) {
        if (dependent.name === "this project") return `${name} is installed because ${chain(causes, needed)}.`;
        if (causes.has(dependent.name)) continue;
        causes.set(dependent.name, needed);
        next.push(dependent.name);
      }
    }
    round = next;
  }
  return `${name} is installed, but I found no way from this project to it.`;
}

/** `this project needs a, a needs b and b needs c` */
function chain(causes: ReadonlyMap<string, string | undefined>, first: string): string {
  const parts = [`this project needs ${first}`];
  for (let name = first, next = causes.get(name); next !== undefined; name = next, next = causes.get(name)) {
    parts.push(`${name} needs ${next}`);
  }
  return enumerate(parts);
}
