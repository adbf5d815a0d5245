/** A path in a JSON Schema as its author would write it: ` at "items[].id"`; empty for the top. */
export function readablePath(path: readonly (string | number)[]): string {
  let text = "";
  for (let position = 0; position < path.length; position += 1) {
    const step = path[position];
    if (step === "items") text += "[]";
    else if (step === "additionalProperties") text += "[key]";
    else if (step === "properties" && position + 1 < path.length) {
      position += 1;
      text += text === "" ? path[position] : `.${path[position]}`;
    } else text += text === "" ? step : `.${step}`;
  }
  return text === "" ? "" : ` at "${text}"`;
}

/** Finds the paths of the wanted objects in a JSON document. */
export function findObjects(
  document: object,
  wanted: { readonly has: (object: object) => boolean },
): ReadonlyMap<object, readonly string[]> {
  const paths = new Map<object, readonly string[]>();
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== "object" || value === null) return;
    if (wanted.has(value)) paths.set(value, path);
    for (const [key, child] of Object.entries(value)) visit(child, [...path, key]);
  };
  visit(document, []);
  return paths;
}

/** The keys of a JSON pointer: `/items/0/a~1b` is `["items", 0, "a/b"]`. */
export function keysOfPointer(pointer: string): (string | number)[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll("~1", "/").replaceAll("~0", "~")));
}
