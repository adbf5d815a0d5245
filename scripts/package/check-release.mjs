// Stands before a publish: only the release workflow publishes, and only what its tag names. No dependencies here.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * @param {string} root
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string | undefined} why this must not be published
 */
export function findReasonNotToPublish(root, { GITHUB_ACTIONS, GITHUB_REF_TYPE, GITHUB_REF_NAME }) {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (GITHUB_ACTIONS !== "true" || GITHUB_REF_TYPE !== "tag")
    return `Only the release workflow publishes. Push the tag v${version}; see "Releases" in CONTRIBUTING.md.`;
  if (GITHUB_REF_NAME !== `v${version}`)
    return `The tag is ${GITHUB_REF_NAME}, but package.json has the version ${version}. Tag the commit of that version.`;
  const changesets = join(root, ".changeset");
  const pending = existsSync(changesets)
    ? readdirSync(changesets).filter((name) => name.endsWith(".md") && name !== "README.md")
    : [];
  if (pending.length > 0)
    return `Changes wait in .changeset: ${pending.join(", ")}. Run "npm run changeset -- version", and tag its commit.`;
  const heading = readFileSync(join(root, "CHANGELOG.md"), "utf8")
    .split("\n")
    .find((line) => line.startsWith(`## ${version}`));
  if (heading === undefined || heading.includes("not published"))
    return `CHANGELOG.md has no heading "## ${version}", or calls it not published. Correct it, and tag that commit.`;
  return undefined;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const reason = findReasonNotToPublish(dirname(dirname(import.meta.dirname)), process.env);
  if (reason !== undefined) {
    console.error(reason);
    process.exitCode = 1;
  }
}
