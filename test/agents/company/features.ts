import type { Feature } from "./feature.js";
import { files, profile, search } from "./knowledge.js";
import { budget, guards, rules } from "./steering.js";

export const features: Readonly<Record<string, Feature>> = { rules, budget, guards, search, profile, files };
