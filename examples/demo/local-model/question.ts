/** One thing that is asked. `before` is what was asked in the same breath before it, which "they" and "it" speak of. */
export interface Clause {
  readonly text: string;
  readonly before: Clause | undefined;
}

const STARTERS =
  "what|which|who|whose|how|where|why|when|is|are|does|do|did|can|find|search|grep|show|list|read|print|open|count|tell|say|give|describe|explain|summari[sz]e";

/** Splits a question into what it asks: at marks between sentences, and where another question word follows. */
export function clausesOf(question: string): Clause[] {
  const parts = question
    .split(
      new RegExp(
        `[?!;\\n]+\\s*|[.,]\\s+(?=(?:and |then )?(?:${STARTERS})\\b)|,?\\s+(?:and|then)\\s+(?=(?:${STARTERS})\\b)`,
        "iu",
      ),
    )
    .map((part) =>
      part
        .trim()
        .replace(/^(?:and|then|please|also|now)[,\s]+/i, "")
        .replace(/[.,:\s]+$/, ""),
    )
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  const clauses: Clause[] = [];
  for (const text of parts) clauses.push({ text, before: clauses.at(-1) });
  return clauses;
}

/** What stands in quotes or backticks. */
export function quotedIn({ text }: Clause): string[] {
  return [...text.matchAll(/"([^"]+)"|`([^`]+)`|“([^”]+)”|'([^']+)'(?!\w)/gu)].flatMap((match) => {
    const found = match.slice(1).find((part) => part !== undefined);
    return found === undefined ? [] : [found];
  });
}

const PLAIN_WORDS = new Set(
  `a about actually all also big bigger biggest changelog current how large larger largest
  latest licence license many much new script scripts size an and any anything are as at be been by can code dependencies dependency depend depends
  depended directly do does each else every everything file files folder for from have has here i in inside install
  installed into is it its library libraries list me module modules most my need needed needs node_modules nothing of on
  one or other others our package packages please project repo repository require requires required say show tell
  something than that the their them there these they this those to under us use used uses version we what which who why
  with you`.split(/\s+/),
);

/** Words that could be names of packages, in the order of the question. */
export function packageNamesIn({ text }: Clause): string[] {
  const words = text.match(/@?[\p{L}\p{N}][\p{L}\p{N}._-]*(?:\/[\p{L}\p{N}._-]+)?/gu) ?? [];
  return [
    ...new Set(
      words.map((word) => word.replace(/['.,-]+$/u, "")).filter((word) => !PLAIN_WORDS.has(word.toLowerCase())),
    ),
  ];
}

/** The text behind a word: `after(clause, /depends on/)`. */
export function after({ text, before }: Clause, expression: RegExp): Clause | undefined {
  const match = expression.exec(text);
  return match === null ? undefined : { text: text.slice(match.index + match[0].length), before };
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** A number in digits or in words, up to a limit. */
export function numberIn({ text }: Clause, max: number): number | undefined {
  const word = /\b(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten)\b(?![.\d])/i.exec(text)?.[1]?.toLowerCase();
  if (word === undefined) return undefined;
  const number = NUMBERS.includes(word) ? NUMBERS.indexOf(word) : Number(word);
  return number >= 1 ? Math.min(number, max) : undefined;
}

const KNOWN_FILES = /\b(?:readme|changelog|license|licence|contributing|dockerfile|makefile|notice|authors)\b/i;

/** A path or name of a file: it has a dot or slash inside, stands in quotes, or is one that everybody knows. */
export function fileNameIn(clause: Clause): string | undefined {
  const quoted = quotedIn(clause)[0];
  if (quoted !== undefined) return quoted;
  const withDot = /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}_@.~-]*\/)*[\p{L}\p{N}_-]*\.[\p{L}][\p{L}\p{N}_.-]*(?![\p{L}\p{N}])/u;
  const withSlash = /(?<![\p{L}\p{N}@/])\/?(?:[\p{L}\p{N}_.-]+\/)+[\p{L}\p{N}_.-]+/u;
  const path = (withDot.exec(clause.text) ?? withSlash.exec(clause.text))?.[0];
  return path?.replace(/\.$/, "") ?? KNOWN_FILES.exec(clause.text)?.[0];
}

/** The folder that a question is limited to: "in src", "under the folder docs/guides". */
export function folderIn({ text }: Clause): string | undefined {
  const match =
    /\b(?:in|under|inside|below|within|of)\s+(?:the\s+)?(?:(?:folder|directory|dir)\s+)?["'`]?([\p{L}\p{N}_@./-]+)["'`]?/giu;
  for (const [whole, name] of text.matchAll(match)) {
    if (name === undefined || PLAIN_WORDS.has(name.toLowerCase()) || isKindOfFile(name)) continue;
    if (/\bof\b/i.test(whole) && !/\b(?:folder|directory|dir)\b/i.test(whole)) continue;
    return name.replace(/[./]+$/, "") || ".";
  }
  return undefined;
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\btests?\b(?! script)/i, "*.test.*"],
  [/\b(?:typescript|ts)\b/i, "*.ts"],
  [/\b(?:javascript|js)\b/i, "*.js"],
  [/\b(?:markdown|md)\b/i, "*.md"],
  [/\bjson\b/i, "*.json"],
  [/\b(?:python|py)\b/i, "*.py"],
  [/\b(?:golang|go) (?:files?|code|lines)\b/i, "*.go"],
  [/\brust\b/i, "*.rs"],
  [/\bcss\b/i, "*.css"],
  [/\bhtml\b/i, "*.html"],
  [/\bya?ml\b/i, "*.y*ml"],
];

/** The files that a question is about, as a pattern: `*.ts` for "TypeScript files", or a pattern that stands there. */
export function patternIn({ text }: Clause): string | undefined {
  const written = /(?<![\p{L}\p{N}])[\p{L}\p{N}_./-]*\*[\p{L}\p{N}_.*/-]*/u.exec(text)?.[0];
  if (written !== undefined) return written;
  const extension = /(?<![\p{L}\p{N}])\.([\p{L}\p{N}]{1,8})\b/u.exec(text)?.[1];
  if (extension !== undefined) return `*.${extension}`;
  return KINDS.find(([expression]) => expression.test(text))?.[1];
}

function isKindOfFile(name: string): boolean {
  return /^\w+$/.test(name) && KINDS.some(([expression]) => expression.test(`${name} files`));
}
