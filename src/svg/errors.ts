import { KumikoError } from "../errors.js";

export const invalidPicture = (what: string): KumikoError => new KumikoError("INVALID_OPTION", `toSvg: ${what}`);
