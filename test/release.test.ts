import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { findBrokenLinks } from "../scripts/docs/links.js";
import { findReasonNotToPublish } from "../scripts/package/check-release.mjs";
import { restore, rewrite, withAbsoluteLinks } from "../scripts/package/pack-links.mjs";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kumiko-release-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

describe("links of the package", () => {
  const page = "https://github.com/a/b/blob/v1.2.3";
  const picture = "https://raw.githubusercontent.com/a/b/v1.2.3";
  const files: Record<string, string> = {
    "package.json": JSON.stringify({
      version: "1.2.3",
      files: ["dist", "README.md", "docs/guides/*.md"],
      repository: { url: "git+https://github.com/a/b.git" },
    }),
    "README.md": [
      "[a guide](docs/guides/a.md#part), [two",
      "lines](LICENSE), [![a picture](x.svg)](bench), ![y](y.svg)",
      "[here](#there) [elsewhere](https://example.com/a) <https://example.com>",
      "```md",
      "[code](stays.md)",
      "```",
      "[1]: docs/guides/a.md",
    ].join("\n"),
    "docs/guides/a.md": "[b](b.md#x), [example](../../examples/a.ts), [gone](c.txt), ![p](pictures/p.svg)",
    "docs/guides/b.md": "Nothing.",
    "docs/other.md": "[a](guides/a.md)",
  };
  const now = (path: string) => readFileSync(join(folder, path), "utf8");
  const all = () => Object.fromEntries(Object.keys(files).map((path) => [path, now(path)]));

  it("are absolute in the README, and where they leave the package in other pages; then everything is as it was", () => {
    write(files);
    rewrite(folder);
    expect(now("README.md").split("\n")).toEqual([
      `[a guide](${page}/docs/guides/a.md#part), [two`,
      `lines](${page}/LICENSE), [![a picture](${picture}/x.svg)](${page}/bench), ![y](${picture}/y.svg)`,
      "[here](#there) [elsewhere](https://example.com/a) <https://example.com>",
      "```md",
      "[code](stays.md)",
      "```",
      `[1]: ${page}/docs/guides/a.md`,
    ]);
    expect(now("docs/guides/a.md")).toBe(
      `[b](b.md#x), [example](${page}/examples/a.ts), [gone](${page}/docs/guides/c.txt), ![p](${picture}/docs/guides/pictures/p.svg)`,
    );
    expect(now("docs/other.md")).toBe(files["docs/other.md"]);
    restore(folder);
    expect(all()).toEqual(files);
  });

  it("are restored also when a pack was killed in between", () => {
    write(files);
    rewrite(folder);
    rewrite(folder);
    restore(folder);
    restore(folder);
    expect(all()).toEqual(files);
  });

  it("are all absolute in the README and the change log of this repository", () => {
    for (const path of ["README.md", "CHANGELOG.md"]) {
      const text = withAbsoluteLinks(read(path), path, manifest, new Set(["README.md", "CHANGELOG.md"]));
      const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
      expect(targets.length).toBeGreaterThan(5);
      expect(targets.filter((target) => !target.startsWith("https://"))).toEqual([]);
    }
  });
});

it.each(["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "CHANGELOG.md", ".changeset/README.md"])(
  "the links of %s lead somewhere",
  (path) => expect(findBrokenLinks(root, path)).toEqual([]),
);

describe("a publish", () => {
  const project = {
    "package.json": '{ "version": "0.3.0" }',
    "CHANGELOG.md": "# Changelog\n\n## 0.3.0\n\n- New.\n",
    ".changeset/README.md": "# Changesets",
  };
  const tag = { GITHUB_ACTIONS: "true", GITHUB_REF_TYPE: "tag", GITHUB_REF_NAME: "v0.3.0" };

  it("is for the release workflow, at the tag of the version, with a change log that tells all", () => {
    write(project);
    expect(findReasonNotToPublish(folder, tag)).toBeUndefined();
    expect(findReasonNotToPublish(folder, {})).toMatch(/Only the release workflow publishes\. Push the tag v0\.3\.0/);
    expect(findReasonNotToPublish(folder, { ...tag, GITHUB_REF_TYPE: "branch" })).toMatch(/Only the release workflow/);
    expect(findReasonNotToPublish(folder, { ...tag, GITHUB_REF_NAME: "v0.2.9" })).toMatch(/The tag is v0\.2\.9/);
    write({ "CHANGELOG.md": "## 0.3.0 (not published yet)" });
    expect(findReasonNotToPublish(folder, tag)).toMatch(/calls it not published/);
    write({ ".changeset/new.md": "---\n---\n" });
    expect(findReasonNotToPublish(folder, tag)).toMatch(/Changes wait in \.changeset: new\.md/);
  });

  it("is public, with a statement of where it was built, and the package says where it comes from", () => {
    expect(manifest).toMatchObject({
      repository: { type: "git", url: "git+https://github.com/kumiko-ts/kumiko.git" },
      homepage: expect.stringMatching(/^https:/),
      bugs: expect.stringMatching(/^https:.*\/issues$/),
      publishConfig: { access: "public", provenance: true },
    });
    expect(read(".github/workflows/release.yml")).toMatch(
      /tags: .*[\s\S]*id-token: write[\s\S]*npm publish .*--provenance/,
    );
  });

  it("describes its changes in files with a version part and a text", () => {
    const files = readdirSync(join(root, ".changeset")).filter((name) => name.endsWith(".md") && name !== "README.md");
    for (const name of files)
      expect(read(join(".changeset", name)), name).toMatch(/^---\n"kumiko": (?:patch|minor|major)\n---\n\n\S/);
  });
});

describe("the files for GitHub", () => {
  interface Step {
    readonly uses?: string;
    readonly run?: string;
  }
  interface Job {
    readonly "runs-on"?: string;
    readonly "timeout-minutes"?: number;
    readonly needs?: string;
    readonly steps: readonly Step[];
  }
  const workflows = readdirSync(join(root, ".github/workflows"));

  it.each(workflows)("a workflow says what it may do and for how long, and runs what is there: %s", (name) => {
    const { permissions, jobs }: { permissions: object; jobs: Record<string, Job> } = parse(
      read(`.github/workflows/${name}`),
    );
    expect(permissions).toEqual({ contents: "read" });
    for (const [key, { steps, needs, ...job }] of Object.entries(jobs)) {
      expect(job, key).toMatchObject({ "runs-on": expect.any(String), "timeout-minutes": expect.any(Number) });
      if (needs !== undefined) expect(Object.keys(jobs)).toContain(needs);
      for (const { uses = "a/b@v1", run = "" } of steps) {
        expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
        const [, script] = /^npm run ([\w:]+)/.exec(run) ?? [];
        if (script !== undefined) expect(Object.keys(manifest.scripts)).toContain(script);
        const [, file] = /^(?:node|bash) (\S+)/.exec(run) ?? [];
        if (file !== undefined) expect(read(file)).not.toBe("");
      }
    }
  });

  it.each(["bug", "idea", "question"])(
    "the form for a %s has fields that GitHub knows, with labels of their own",
    (name) => {
      const form = parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`));
      expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String), labels: [name] });
      const fields: { type: string; id: string; attributes: { label: string } }[] = form.body;
      expect(fields.filter(({ type }) => !["textarea", "input", "dropdown", "checkboxes"].includes(type))).toEqual([]);
      expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
      expect(new Set(fields.map(({ attributes }) => attributes.label)).size).toBe(fields.length);
    },
  );

  it("the form for a bug asks for a program that runs, and for versions", () => {
    const { body } = parse(read(".github/ISSUE_TEMPLATE/bug.yml"));
    const required = body.filter((field: { validations?: { required?: boolean } }) => field.validations?.required);
    expect(required.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(["program", "versions"]));
  });

  it("SECURITY.md promises an answer within five days, in private", () => {
    expect(read("SECURITY.md")).toMatch(/in private[\s\S]*within five days/);
  });
});

describe("the change log of the first version", () => {
  const text = read("CHANGELOG.md");

  it("is short, and for people who know no earlier one", () => {
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(80);
    expect(text.match(/\b(?:faster|now|no longer|than before|formerly|previously|renamed)\b/gi)).toBeNull();
  });

  it("names entries and functions that exist", () => {
    const names = new Set(
      readdirSync(join(root, "test/public-api")).flatMap((file) =>
        read(`test/public-api/${file}`)
          .split("\n")
          .map((line) => line.split(" ")[1]),
      ),
    );
    const entries = Object.keys(manifest.exports).map((path) => path.replace(/^\./, "kumiko"));
    const named = [...text.matchAll(/`(kumiko\/[a-z/]+)`/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !entries.includes(name))).toEqual([]);
    const functions = [...text.matchAll(/`([a-z]+[A-Z]\w*|[A-Z]\w+)`/g)].map(([, name = ""]) => name);
    const others = ["requireApproval", "useChat"]; // an option, and a hook of the AI SDK
    expect(functions.filter((name) => !names.has(name) && !others.includes(name))).toEqual([]);
  });
});
