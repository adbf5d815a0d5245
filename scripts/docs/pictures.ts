// Writes the pictures of docs/pictures.md anew: npm run pictures.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pictures } from "./picture-graphs.js";

const folder = join(import.meta.dirname, "../../docs/guides/pictures");
mkdirSync(folder, { recursive: true });
for (const [name, draw] of Object.entries(pictures)) writeFileSync(join(folder, `${name}.svg`), `${await draw()}`);
