import { existsSync } from "node:fs";

/** A Chromium of this machine, if there is one. */
export const browserPath = [
  process.env.CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== "" && existsSync(path));
