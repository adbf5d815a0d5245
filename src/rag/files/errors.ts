import { KumikoError, messageOf } from "../../errors.js";

export const loadFailed = (uri: string, why: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "LOAD_FAILED",
    `${JSON.stringify(uri)} cannot be loaded: ${why}${cause === undefined ? "" : ` ${messageOf(cause)}`}`,
    cause === undefined ? {} : { cause },
  );

export const tooLarge = (uri: string, megabytes: number): KumikoError =>
  loadFailed(uri, `it is larger than ${megabytes} MB. Set maxBytes to take more.`);
