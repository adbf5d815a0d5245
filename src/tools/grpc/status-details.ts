import type { Metadata } from "./grpc-js.js";
import type { Protobuf, Root, Type } from "./protobuf.js";
import { writeJson } from "./write-json.js";

/** Reads the details that a server sends with an error: a `google.rpc.Status` in the trailers. */
export class StatusDetails {
  readonly #kit: Protobuf;
  /** Details may be of types of the services too. */
  readonly #services: Root;
  readonly #status: Type;

  constructor(kit: Protobuf, services: Root) {
    this.#kit = kit;
    this.#services = services;
    const root = new kit.protobuf.Root();
    root.addJSON({ google: { nested: { rpc: { nested: messages } } } });
    for (const file of ["any", "duration"]) {
      const bundled = kit.protobuf.common.get(`google/protobuf/${file}.proto`);
      if (bundled?.nested) root.addJSON(bundled.nested);
    }
    root.resolveAll();
    this.#status = root.lookupType("google.rpc.Status");
  }

  /** An empty list when there are none, or none that can be read. */
  read(trailers: Metadata | undefined): readonly unknown[] {
    const [bytes] = trailers?.get("grpc-status-details-bin") ?? [];
    if (!(bytes instanceof Uint8Array)) return [];
    try {
      const options = { omitDefaults: true, moreTypes: this.#services };
      const written = writeJson(this.#kit, this.#status, this.#status.decode(bytes), options);
      const { details = [] } = written as { readonly details?: readonly unknown[] };
      return details;
    } catch {
      return [];
    }
  }
}

const text = (id: number) => ({ id, type: "string" });
const texts = (id: number) => ({ id, type: "string", rule: "repeated" });
const list = (id: number, type: string) => ({ id, type, rule: "repeated" });

/** The types that describe errors: `google/rpc/status.proto` and `google/rpc/error_details.proto`. */
const messages = {
  Status: { fields: { code: { id: 1, type: "int32" }, message: text(2), details: list(3, "google.protobuf.Any") } },
  ErrorInfo: {
    fields: { reason: text(1), domain: text(2), metadata: { id: 3, keyType: "string", type: "string" } },
  },
  RetryInfo: { fields: { retry_delay: { id: 1, type: "google.protobuf.Duration" } } },
  DebugInfo: { fields: { stack_entries: texts(1), detail: text(2) } },
  QuotaFailure: {
    fields: { violations: list(1, "Violation") },
    nested: { Violation: { fields: { subject: text(1), description: text(2) } } },
  },
  PreconditionFailure: {
    fields: { violations: list(1, "Violation") },
    nested: { Violation: { fields: { type: text(1), subject: text(2), description: text(3) } } },
  },
  BadRequest: {
    fields: { field_violations: list(1, "FieldViolation") },
    nested: {
      FieldViolation: {
        fields: {
          field: text(1),
          description: text(2),
          reason: text(3),
          localized_message: { id: 4, type: "LocalizedMessage" },
        },
      },
    },
  },
  RequestInfo: { fields: { request_id: text(1), serving_data: text(2) } },
  ResourceInfo: { fields: { resource_type: text(1), resource_name: text(2), owner: text(3), description: text(4) } },
  Help: {
    fields: { links: list(1, "Link") },
    nested: { Link: { fields: { description: text(1), url: text(2) } } },
  },
  LocalizedMessage: { fields: { locale: text(1), message: text(2) } },
};
