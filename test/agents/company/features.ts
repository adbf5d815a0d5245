import type { Feature } from "./feature.js";
import { files, memory, profile, search } from "./knowledge.js";
import { budget, guards, pushes, rules } from "./steering.js";

export const features: Readonly<Record<string, Feature>> = {
  rules,
  budget,
  guards,
  pushes,
  search,
  profile,
  memory,
  files,
};
