// Makes the picture of the viewer anew: npm run pictures:viewer. It needs a Chromium; with the font Inter it looks as it should.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { browserPath } from "../../test/viewer/page/chromium.js";
import { serveRecorded } from "../../test/viewer/page/recorded-server.js";

const file = join(import.meta.dirname, "../../docs/guides/pictures/viewer.webp");
if (browserPath === undefined)
  throw new Error("There is no Chromium. Install it, or name it in the variable CHROMIUM.");
const server = await serveRecorded();
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
await page.goto(`${server.url}#/runs/run_7f3a91`);
// a moment at which the agent writes
const time = page.getByRole("slider", { name: "Time in the run" });
await time.press("Home");
for (let step = 0; step < 16; step++) await time.press("ArrowRight");
await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
const screen = (await page.screenshot()).toString("base64");
// WebP takes a third of PNG, and the browser can write it
const converter = await browser.newPage();
await converter.addInitScript("globalThis.__name = (value) => value");
const picture = await converter.evaluate(async (data) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: image.width, height: image.height });
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.82).replace(/^.*,/, "");
}, screen);
writeFileSync(file, Buffer.from(picture, "base64"));
await browser.close();
await server.close();
