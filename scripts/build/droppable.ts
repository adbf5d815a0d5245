/**
 * Lets bundlers drop what an application does not use of a file that all entries share. Some statements could do anything for
 * all that a bundler knows, and then it keeps them, with whatever they mention: a class with a member under a symbol of ours,
 * an object that is frozen. But importing our modules does no work (a test sees to that), so all of these may go. The number of
 * lines stays, for the source map.
 */
export function droppable(code: string): string {
  const parents = new Map<string, string>();
  return code
    .replace(/^Object\.setPrototypeOf\(([\w$]+)\.prototype, ([\w$]+)\.prototype\);$/gm, (_statement, name, parent) => {
      parents.set(name, parent);
      return "";
    })
    .replace(classStatement, (statement, name: string, head: string, body: string) =>
      droppableClass(statement, { name, head, body, parent: parents.get(name) }),
    )
    .replace(/^(var [\w$]+ = )(?=new |Object\.(?:freeze|assign)\()/gm, "$1/* @__PURE__ */ ");
}

/** As esbuild writes a class at the top level of a file. */
const classStatement = /^var ([\w$]+) = class( [^{]*)\{(\n[\s\S]*?^)\};$/gm;

interface WrittenClass {
  readonly name: string;
  /** Its own name and what it extends, as far as it has them. */
  readonly head: string;
  readonly body: string;
  /** What it inherits from, when that is said after it. */
  readonly parent: string | undefined;
}

function droppableClass(statement: string, { name, head, body, parent }: WrittenClass): string {
  if (parent === undefined && !head.includes("(") && !mayDoAnything.test(body)) return statement;
  const named = /^ (?:extends |$)/.test(head) ? ` ${name}${head}` : head;
  const inheriting = parent === undefined ? "" : ` Object.setPrototypeOf(made.prototype, ${parent}.prototype);`;
  return `var ${name} = /* @__PURE__ */ (() => { const made = class${named}{${body}};${inheriting} return made; })();`;
}

/** Members under a symbol that is none of the language, and what runs when the class is made. */
const mayDoAnything = /^ {2}(?:(?:static |get |set |async |\*)*\[(?!Symbol\.)|static (?:\{|[\w#$]+ =))/m;
