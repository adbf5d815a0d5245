import { type Plan, together } from "./plan.js";
import { type Clause, clausesOf } from "./question.js";
import type { Skill } from "./skill.js";
import { changelog } from "./skills/changelog.js";
import { dependents } from "./skills/dependents.js";
import { fileLists, lineCounts } from "./skills/file-lists.js";
import { fileReading } from "./skills/file-reading.js";
import { fileSizes } from "./skills/file-sizes.js";
import { overview } from "./skills/overview.js";
import { dependencies, packageFacts, scripts } from "./skills/package-facts.js";
import { packageSizes } from "./skills/package-sizes.js";
import { reports, surveys } from "./skills/reports.js";
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
  const parts = clausesOf(question).map((clause) => ({ clause, plan: findPlan(clause) }));
  const plans = parts.flatMap(({ plan }) => plan ?? []);
  if (plans.length === 0) return cannotAnswer;
  const answers = (yield* together(plans)).values();
  return parts
    .map(({ clause, plan }) =>
      plan === undefined
        ? `I did not understand "${clause.text}", and so I cannot answer that part.`
        : answers.next().value,
    )
    .join("\n\n");
}

/** What only the conversation of the demo asks, where there are tools for it. */
const ofConversation: readonly Skill[] = [reports, surveys];

function findPlan(clause: Clause): Plan | undefined {
  for (const skill of [...ofConversation, ...skills]) {
    const plan = skill.understand(clause);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

const cannotAnswer = `I cannot answer that. I am no language model, but a set of rules about files and packages: I look \
into the folder and answer questions like these.
${bullets(skills.map(({ example }) => example))}`;
