import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder with these files, removed after the test. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "kumiko-demo-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

const manifest = (fields: object): string => JSON.stringify(fields, null, 2);

/** A small project with packages installed: "glue" is the largest, "left" asks for it. */
export async function project(): Promise<string> {
  const root = await folderWith({
    "package.json": manifest({
      name: "shop",
      version: "2.1.0",
      license: "MIT",
      scripts: { test: "run the tests", build: "make all" },
      dependencies: { left: "^1.0.0" },
      devDependencies: { right: "~3.0.0" },
    }),
    "CHANGELOG.md":
      "# Changelog\n\n## 2.1.0\n\n- Carts can be\n  shared.\n- Faster search.\n\n## 2.0.0\n\n- Everything is new.\n",
    "README.md": "# Shop\n\nSells things.\n\n## Install\n\n## Use\n",
    "src/cart.ts": "// TODO: round prices\nexport function total(prices: number[]) {\n  return prices.length;\n}\n",
    "src/main.ts": 'import { total } from "./cart.js";\nconsole.log(total([]));\n',
    "文書/grüße.txt": "Hallo 木組み\n",
    "node_modules/left/package.json": manifest({
      name: "left",
      version: "1.2.0",
      dependencies: { glue: "^5.0.0" },
      license: "ISC",
    }),
    "node_modules/left/index.js": "left();\n",
    "node_modules/right/package.json": manifest({ name: "right", version: "3.0.1", peerDependencies: { left: "*" } }),
    "node_modules/glue/package.json": manifest({ name: "glue", version: "5.0.0" }),
    "node_modules/glue/big.js": "x".repeat(50_000),
    "node_modules/right/node_modules/left/package.json": manifest({ name: "left", version: "0.9.0" }),
    "node_modules/@scope/tool/package.json": manifest({ name: "@scope/tool", version: "1.0.0" }),
    "node_modules/@scope/tool/tool.js": "y".repeat(20_000),
  });
  await symlink("/etc", join(root, "elsewhere"));
  return root;
}
