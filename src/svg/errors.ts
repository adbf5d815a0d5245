import { KumikoError } from "../errors.js";

export const vizPackageMissing = (cause: unknown): KumikoError =>
  new KumikoError("PACKAGE_MISSING", "toSvg needs the package @viz-js/viz. Install it: npm install @viz-js/viz", {
    cause,
  });

export const invalidPicture = (what: string): KumikoError => new KumikoError("INVALID_OPTION", `toSvg: ${what}`);
