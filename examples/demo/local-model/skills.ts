import { type Plan, together } from "./plan.js";
import { clausesOf } from "./question.js";
import type { Skill } from "./skill.js";
import { changelog } from "./skills/changelog.js";
import { dependents } from "./skills/dependents.js";
import { fileLists, lineCounts } from "./skills/file-lists.js";
import { fileReading } from "./skills/file-reading.js";
import { fileSizes } from "./skills/file-sizes.js";
import { overview } from "./skills/overview.js";
import { dependencies, packageFacts, scripts } from "./skills/package-facts.js";
import { packageSizes } from "./skills/package-sizes.js";
import { textSearch } from "./skills/text-search.js";
import { bullets } from "./wording.js";

/** The first that understands a clause answers it: the more special ones come first. */
const skills: readonly Skill[] = [
  changelog,
  textSearch,
  packageSizes,
  dependencies,
  dependents,
  lineCounts,
  fileSizes,
  scripts,
  packageFacts,
  fileLists,
  overview,
  fileReading,
];

/** The way to the answer of a whole question: what is asked in one breath is looked up in parallel. */
export function* answerQuestion(question: string): Plan {
  const clauses = clausesOf(question);
  const plans = clauses.map((clause) => {
    for (const skill of skills) {
      const plan = skill.understand(clause);
      if (plan !== undefined) return plan;
    }
    return undefined;
  });
  if (plans.every((plan) => plan === undefined)) return cannotAnswer;
  const answers = yield* together(plans.map((plan, index) => plan ?? notUnderstood(clauses[index]?.text ?? "")));
  return answers.join("\n\n");
}

// biome-ignore lint/correctness/useYield: a plan that needs nothing
function* notUnderstood(text: string): Plan {
  return `I did not understand "${text}", and so I cannot answer that part.`;
}

const cannotAnswer = `I cannot answer that. I am no language model, but a set of rules about files and packages: I look \
into the folder and answer questions like these.
${bullets(skills.map(({ example }) => example))}`;
