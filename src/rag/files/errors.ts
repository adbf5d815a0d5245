import { KumikoError, messageOf } from "../../errors.js";

export const loadFailed = (uri: string, why: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "LOAD_FAILED",
    `${JSON.stringify(uri)} cannot be loaded: ${[why, cause === undefined ? "" : messageOf(cause)].filter(Boolean).join(" ")}`,
    cause === undefined ? {} : { cause },
  );

export const tooSlow = (uri: string, timeoutMs: number): KumikoError =>
  loadFailed(uri, `it takes longer than ${timeoutMs} ms. Set timeoutMs to wait longer.`);

export const tooLarge = (uri: string, megabytes: number): KumikoError =>
  loadFailed(uri, `it is larger than ${megabytes} MB. Set maxBytes to take more.`);

export const noTextInPages = (uri: string, pages: number): KumikoError =>
  loadFailed(
    uri,
    `there is no text in its ${pages === 1 ? "page" : `${pages} pages`}. If they are pictures, as in a scan, recognize their text first (OCR).`,
  );

export const encrypted = (uri: string): KumikoError =>
  loadFailed(uri, "it is encrypted with a password. Save it without one first.");
