import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { droppable } from "../../../scripts/build/droppable.js";

/** What a bundler keeps of a file of which nothing is used. */
async function kept(code: string): Promise<string> {
  const { code: rest } = await transform(code, { treeShaking: true, format: "esm" });
  return rest.trim();
}

const underSymbol = `var brand = /* @__PURE__ */ Symbol("brand");
var Branded = class {
  get [brand]() {
    return 1;
  }
};`;
const withStatic = `var Counted = class extends Object {
  static {
    this.count = 2;
  }
};`;
const withField = `var key = /* @__PURE__ */ Symbol("key");
var _a;
var _b;
var Failed = class extends (_b = Error, _a = key, _b) {
  constructor() {
    super("failed");
    this[_a] = true;
  }
};`;
const inheriting = `var Parent = class {
  greet() {
    return "hello";
  }
};
var Child = class {
  name() {
    return Child.name;
  }
};
Object.setPrototypeOf(Child.prototype, Parent.prototype);`;
const withProperty = `var shared = Object.getPrototypeOf([]);
var Marked = class {
};
Object.defineProperty(Marked.prototype, "shared", { value: shared });`;
const constants = `var none = Object.freeze({});
var made = new Made();
function Made() {
}`;

describe("droppable", () => {
  it.each([
    ["a class with a member under a symbol", underSymbol],
    ["a class with a static block", withStatic],
    ["a class with a field under a symbol", withField],
    ["a class whose parent is set after it", inheriting],
    ["a class that gets a property after it", withProperty],
    ["frozen and made objects", constants],
  ])("lets a bundler drop %s", async (_what, code) => {
    expect(await kept(code)).not.toBe("");
    expect((await kept(droppable(code))).replaceAll(/var _\w;\s*/g, "")).toBe("");
  });

  it("changes nothing in what the code does, and no line of it", () => {
    const code = [underSymbol, withStatic, withField, inheriting, withProperty, constants].join("\n");
    const written = droppable(code);
    expect(written.split("\n")).toHaveLength(code.split("\n").length);
    const run = new Function(`${written}
return [new Branded()[brand], Counted.count, new Failed()[key], new Child().greet(), new Child().name(), new Marked().shared, Object.isFrozen(none)];`);
    expect(run()).toEqual([1, 2, true, "hello", "Child", Array.prototype, true]);
    const names = new Function(`${written}\nreturn [Branded, Counted, Failed, Parent, Child].map(({ name }) => name);`);
    expect(names()).toEqual(["Branded", "Counted", "Failed", "Parent", "Child"]);
  });

  it("leaves what needs something that is made after the class", () => {
    const code = `
var Early = class {
};
var late = Object(1);
Object.defineProperty(Early.prototype, "late", { value: late });`;
    expect(droppable(code)).toBe(code);
  });

  it("leaves what is not at the top level", () => {
    const code = `function make() {
  var Inner = class {
    [name]() {
    }
  };
  return new Inner();
}`;
    expect(droppable(code)).toBe(code);
  });
});
