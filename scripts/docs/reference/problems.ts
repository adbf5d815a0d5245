import type { EntryDoc } from "./reference.js";

/** Entries, names, options, events and fields without a sentence, each with file and line. */
export function findMissingSentences(entries: readonly EntryDoc[]): string[] {
  const problems = entries.flatMap(({ specifier, text, names, place }) => [
    ...(text === "" ? [`${place} has no @packageDocumentation comment: what is ${specifier} for?`] : []),
    ...names.flatMap((name) => [
      ...(name.text === "" ? [`${name.place} has no doc comment: ${name.name}`] : []),
      ...name.fields
        .filter((field) => field.text === "")
        .map((field) => `${field.place} has no doc comment: ${field.name} of ${name.name}`),
    ]),
  ]);
  // a field that several types inherit is named once
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = problem.replace(/ of \w+$/, "");
    return !seen.has(key) && seen.add(key);
  });
}
