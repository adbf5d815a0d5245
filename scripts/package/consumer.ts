import { execFileSync, execSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An empty project which has the packed package installed, and its dependencies linked from this repository. */
export interface Consumer {
  readonly folder: string;
  /** Where the package is. */
  readonly installed: string;
  write(path: string, text: string): void;
  /** Installs a package that this repository has. */
  install(name: string): void;
  /** Runs Node.js in the project and gives what it prints; what goes wrong is thrown with its output. */
  node(...args: string[]): string;
}

/** Makes the project in `folder`, an empty one. Nothing is taken from the network. */
export function createConsumer(root: string, folder: string): Consumer {
  const installed = join(folder, "node_modules/kumiko");
  mkdirSync(installed, { recursive: true });
  // A command line, as npm is a command file on Windows; the folder comes from mkdtemp.
  execSync(`npm pack --ignore-scripts --loglevel=error --pack-destination "${folder}"`, { cwd: root, stdio: "pipe" });
  const { version, dependencies }: { version: string; dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  execFileSync("tar", ["-xzf", `kumiko-${version}.tgz`], { cwd: folder });
  cpSync(join(folder, "package"), installed, { recursive: true });
  const install = (name: string) => {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link, "junction");
  };
  for (const name of Object.keys(dependencies)) install(name);
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  write("package.json", JSON.stringify({ name: "consumer", private: true }));
  const node = (...args: string[]) => {
    try {
      return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`node ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
    }
  };
  return { folder, installed, write, install, node };
}
