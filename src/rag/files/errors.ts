import { KumikoError, messageOf } from "../../errors.js";

export const loadFailed = (uri: string, why: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "LOAD_FAILED",
    `${JSON.stringify(uri)} cannot be loaded: ${[why, cause === undefined ? "" : messageOf(cause)].filter(Boolean).join(" ")}`,
    cause === undefined ? {} : { cause },
  );

export const loadTimedOut = (uri: string, timeoutMs: number): KumikoError =>
  loadFailed(uri, `it took longer than ${timeoutMs} ms. Increase timeoutMs to wait longer.`);

export const fileTooLarge = (uri: string, megabytes: number): KumikoError =>
  loadFailed(uri, `it is larger than ${megabytes} MB. Increase maxBytes to load it.`);

export const noTextInPages = (uri: string, pages: number): KumikoError =>
  loadFailed(
    uri,
    `there is no text in its ${pages === 1 ? "page" : `${pages} pages`}. If they are images, as in a scan, run OCR on them first.`,
  );

export const fileEncrypted = (uri: string): KumikoError =>
  loadFailed(uri, "it is encrypted with a password. Save it without one first.");
