/**
 * Lets bundlers drop what an application does not use of a file that all entries share. Some statements could do anything for
 * all that a bundler knows, and then it keeps them, with whatever they mention: a class with a member under a symbol of ours,
 * an object that is frozen. But importing our modules does no work (a test sees to that), so all of these may go. The number of
 * lines stays, for the source map.
 */
export function droppable(code: string): string {
  const added = new Map<string, string>();
  return code
    .replace(prototypeStatement, (statement, name: string, offset: number) => {
      if (!canMoveUp(code, statement, { name, offset })) return statement;
      added.set(name, `${added.get(name) ?? ""} ${statement.replace(`(${name}.`, "(made.")}`);
      return "";
    })
    .replace(classStatement, (statement, name: string, head: string, body: string) =>
      droppableClass(statement, { name, head, body, added: added.get(name) ?? "" }),
    )
    .replace(/^(var [\w$]+ = )(?=new |Object\.(?:freeze|assign|getPrototypeOf)\()/gm, "$1/* @__PURE__ */ ");
}

/** As esbuild writes a class at the top level of a file. */
const classStatement = /^var ([\w$]+) = class( [^{]*)\{(\n[\s\S]*?^)\};$/gm;

/** What is done to a class after it was made: it gets a parent, or a property. */
const prototypeStatement = /^Object\.(?:setPrototypeOf|defineProperty)\(([\w$]+)\.prototype, .*\);$/gm;

interface Place {
  /** Of the class. */
  readonly name: string;
  readonly offset: number;
}

/** Whether all that a statement mentions is there as early as its class is. */
function canMoveUp(code: string, statement: string, { name, offset }: Place): boolean {
  const start = code.indexOf(`\nvar ${name} = class `);
  if (start < 0 || start > offset) return false;
  const between = code.slice(start + 1, offset).matchAll(/^var ([\w$]+) =/gm);
  const made = new Set([...between].map(([, variable]) => variable));
  made.delete(name);
  return (statement.match(/[\w$]+/g) ?? []).every((word) => !made.has(word));
}

interface WrittenClass {
  readonly name: string;
  /** Its own name and what it extends, as far as it has them. */
  readonly head: string;
  readonly body: string;
  /** What is done to it then. */
  readonly added: string;
}

function droppableClass(statement: string, { name, head, body, added }: WrittenClass): string {
  if (added === "" && !head.includes("(") && !mayDoAnything.test(body)) return statement;
  const named = /^ (?:extends |$)/.test(head) ? ` ${name}${head}` : head;
  return `var ${name} = /* @__PURE__ */ (() => { const made = class${named}{${body}};${added} return made; })();`;
}

/** Members under a symbol that is none of the language, and what runs when the class is made. */
const mayDoAnything = /^ {2}(?:(?:static |get |set |async |\*)*\[(?!Symbol\.)|static (?:\{|[\w#$]+ =))/m;
