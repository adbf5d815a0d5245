import { unknownSelector } from "../../errors.js";

/** The parts of an element that a selector reads. */
export interface SelectableElement {
  readonly tagName: string;
  attribute(name: string): string | undefined;
  readonly parent: SelectableElement | undefined;
}

export type Selector = (element: SelectableElement) => boolean;

/** Parses a selector: tag, `.class`, `#id`, `[name]`, `[name=value]`, and descendants such as `main p`. */
export function readSelector(text: string): Selector {
  const steps = (text.trim().match(/(?:\[[^\]]*\]|[^\s[])+/g) ?? []).map((step) => readStep(step, text));
  const last = steps.pop();
  if (last === undefined) throw unknownSelector(text, "it is empty");
  const ancestors = steps.reverse();
  return (element) => last(element) && hasAncestors(element, ancestors);
}

/** Greedy: taking the nearest match leaves the most ancestors for the remaining steps. */
function hasAncestors(element: SelectableElement, ancestors: readonly Selector[]): boolean {
  let place = element.parent;
  for (const ancestor of ancestors) {
    while (place !== undefined && !ancestor(place)) place = place.parent;
    if (place === undefined) return false;
    place = place.parent;
  }
  return true;
}

function readStep(step: string, selector: string): Selector {
  const tests: Selector[] = [];
  let rest = step;
  while (rest !== "") {
    const [found, , tag, className, id, name, operator, quoted = "", plain = ""] = part.exec(rest) ?? [];
    if (found === undefined || (tag !== undefined && rest !== step)) throw unknownSelector(selector, `"${rest}"`);
    const value = quoted === "" ? plain : quoted.slice(1, -1);
    if (tag !== undefined) tests.push((element) => tag === "*" || element.tagName === tag.toLowerCase());
    else if (className !== undefined) tests.push((element) => classesOf(element).includes(className));
    else if (id !== undefined) tests.push((element) => element.attribute("id") === id);
    else if (name !== undefined && operator === undefined)
      tests.push((element) => element.attribute(name.toLowerCase()) !== undefined);
    else if (name !== undefined) tests.push((element) => element.attribute(name.toLowerCase()) === value);
    rest = rest.slice(found.length);
  }
  return (element) => tests.every((test) => test(element));
}

const word = "[\\w\\u0080-\\uffff-]+";
const part = new RegExp(
  `^((\\*|${word})|\\.(${word})|#(${word})|\\[\\s*([\\w:-]+)\\s*(?:(=)\\s*(?:("[^"]*"|'[^']*')|([^\\]"']*?))\\s*)?\\])`,
);

function classesOf(element: SelectableElement): string[] {
  return (element.attribute("class") ?? "").split(/\s+/);
}
