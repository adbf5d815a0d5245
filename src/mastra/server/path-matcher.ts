/** Matches paths: `:name` matches one segment, `*` one segment or, at the end, the rest. */
export function pathMatcher(pattern: string): (path: string) => Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split("/").filter((part) => part !== "");
  return (path) => {
    const parts = path.split("/").filter((part) => part !== "");
    const params: Record<string, string> = {};
    for (const [index, part] of wanted.entries()) {
      if (part === "*" && index === wanted.length - 1) return params;
      const given = parts[index];
      if (given === undefined) return undefined;
      if (part.startsWith(":")) params[part.slice(1)] = decoded(given);
      else if (part !== "*" && part !== given) return undefined;
    }
    return parts.length === wanted.length ? params : undefined;
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
