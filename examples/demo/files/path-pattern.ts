/**
 * Makes a test of paths from what a person or a model would write: `*.ts` and `src/**\/*.test.ts` are patterns, anything
 * else is a part of the path, in any case.
 */
export function pathPattern(pattern: string | undefined): (path: string) => boolean {
  if (pattern === undefined || pattern === "") return () => true;
  if (!/[*?]/.test(pattern)) {
    const part = pattern.toLowerCase();
    return (path) => path.toLowerCase().includes(part);
  }
  const expression = new RegExp(
    `^${pattern
      .split(/(\*\*\/|\*\*|\*|\?)/)
      .map(toExpression)
      .join("")}$`,
    "iu",
  );
  // without a slash, the pattern is about the name alone
  return pattern.includes("/") ? (path) => expression.test(path) : (path) => expression.test(nameOf(path));
}

function toExpression(piece: string): string {
  switch (piece) {
    case "**/":
      return "(?:.*/)?";
    case "**":
      return ".*";
    case "*":
      return "[^/]*";
    case "?":
      return "[^/]";
    default:
      return piece.replace(/[\\^$.|+()[\]{}/]/g, "\\$&");
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
