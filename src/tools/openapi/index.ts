/** Tools from an OpenAPI document. Needs the package `@apidevtools/json-schema-ref-parser`. @packageDocumentation */

export type { HttpMethod } from "./document.js";
export { openApiTools } from "./open-api-tools.js";
export type { OpenApiTool } from "./operation-tool.js";
export type { OpenApiHeaders, OpenApiOperation, OpenApiToolsOptions } from "./options.js";
export type { OpenApiAuth, OpenApiCredential } from "./security.js";
