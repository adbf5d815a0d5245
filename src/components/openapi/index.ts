export type { HttpMethod } from "./document.js";
export { HttpStatusError } from "./errors.js";
export {
  type OpenApiHeaders,
  type OpenApiOperation,
  type OpenApiTool,
  type OpenApiToolsOptions,
  openApiTools,
} from "./open-api-tools.js";
