import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import type { PageAssets } from "../../src/viewer/page-assets.js";

/** Builds the page of the viewer, and the player of saved runs: scripts of their own, and the styles of both. */
export async function buildPageAssets(root = join(import.meta.dirname, "../..")): Promise<PageAssets> {
  const bundled = { bundle: true, minify: true, write: false, charset: "utf8", logLevel: "silent" } as const;
  const script = async (file: string): Promise<string> => {
    const entryPoints = [join(root, "src/viewer/page", file)];
    const licences = { js: `/*! ${await licenceNotes(root)} */` };
    const options = { ...bundled, entryPoints, format: "iife", target: "es2022", legalComments: "none" } as const;
    const { outputFiles } = await build({ ...options, banner: licences });
    return (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
  };
  const styles = await build({ ...bundled, entryPoints: [join(root, "src/viewer/page/styles/page.css")] });
  const [page, player] = await Promise.all([script("main.tsx"), script("player.tsx")]);
  return { page, player, style: styles.outputFiles[0]?.text ?? "" };
}

/** The packages in the scripts are under the MIT licence, which asks for its text beside every copy. */
async function licenceNotes(root: string): Promise<string> {
  const names = ["preact"];
  const texts = await Promise.all(
    names.map(
      async (name) => `${name}: ${copyright(await readFile(join(root, "node_modules", name, "LICENSE"), "utf8"))}`,
    ),
  );
  return `${texts.join("; ")}; MIT License, https://opensource.org/license/mit`;
}

function copyright(licence: string): string {
  return /Copyright[^\n]*/.exec(licence)?.[0].trim() ?? "";
}

/** Puts the built page into the package, in place of the module that builds it. `root`: the folder of the package. */
export function embedPageAssets(root: string): Plugin {
  return {
    name: "page-assets",
    setup({ onLoad }) {
      onLoad({ filter: /src[\\/]viewer[\\/]page-assets\.ts$/ }, async () => {
        const assets = JSON.stringify(await buildPageAssets(root));
        return { contents: `export async function loadPageAssets() { return ${assets}; }`, loader: "js" };
      });
    },
  };
}
