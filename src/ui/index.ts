/** Agents as web responses: for `useChat`, for AG-UI, and as server-sent events. @packageDocumentation */

export { type AgUiOptions, agUi } from "./ag-ui.js";
export type { OnError, ResponseError } from "./error-mask.js";
export { type EventLog, type EventLogOptions, eventLog, type ReplayOptions } from "./event-log.js";
export { errorResponse, type ResponseHeaders, type ResponseOptions } from "./event-response.js";
export { type AgUiRequest, readAgUiRequest } from "./read-ag-ui-request.js";
export { type ApprovalAnswer, readUiRequest, type UiRequest } from "./read-ui-request.js";
export { type SseOptions, sse } from "./sse.js";
export { type UiMessageStreamOptions, uiMessageStream } from "./ui-message-stream.js";
export { type UiMessage, type UiMessagesOptions, uiMessages } from "./ui-messages.js";
export type { UiPart } from "./ui-parts.js";
