import { KumikoError } from "../errors.js";

// messages

export const invalidMessage = (what: string): KumikoError => new KumikoError("INVALID_MESSAGE", what);

export const cannotConcatMessages = (reason: string): KumikoError =>
  new KumikoError("CANNOT_CONCAT", `Message chunks cannot be concatenated: ${reason}`);

// schemas

export const schemaUnsupported = (what: string, cause?: unknown): KumikoError =>
  new KumikoError("SCHEMA_UNSUPPORTED", what, cause === undefined ? {} : { cause });

export const schemaInvalid = (what: string): KumikoError => new KumikoError("SCHEMA_INVALID", what);
