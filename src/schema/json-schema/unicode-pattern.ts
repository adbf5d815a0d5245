/**
 * Rewrites a pattern that is valid only without the flag `u`, such as `[\w-:]` or `a\-b`, for interpreters that always set it.
 * Returns `undefined` if there is no such pattern.
 */
export function unicodePattern(pattern: string): string | undefined {
  if (compiles(pattern)) return pattern;
  const rewritten = rewrite(pattern);
  return compiles(rewritten) ? rewritten : undefined;
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function rewrite(pattern: string): string {
  return pattern.replace(/\[(?:[^\]\\]|\\.)*\]|\\.|\{(?!\d+(?:,\d*)?\})|(?<!\{\d+(?:,\d*)?)\}|\]/gsu, (part) => {
    if (part.startsWith("[") && part.length > 1) return rewriteClass(part);
    return part.startsWith("\\") ? withoutNeedlessEscape(part) : `\\${part}`;
  });
}

/** Escapes hyphens beside a class such as `\w`, which cannot be ranges. */
function rewriteClass(part: string): string {
  return part
    .replace(/(\\[dDsSwW])-(?!\])/g, "$1\\-")
    .replace(/(?<![[\\])-(\\[dDsSwW])/g, "\\-$1")
    .replace(/\\[^-]/gsu, withoutNeedlessEscape);
}

/** Only letters, digits and the characters of the syntax can be escaped. */
function withoutNeedlessEscape(part: string): string {
  return /^\\[a-zA-Z\d^$\\.*+?()[\]{}|/]$/.test(part) ? part : part.slice(1);
}
