/** What watches: handlers, tracers and `RunEmitter`. @packageDocumentation */

export { type ComponentHandler, componentHandlers } from "./component-handlers.js";
export { type ConsoleTracerOptions, consoleTracer } from "./console-tracer.js";
export type { Handler, HandlerErrorListener, HandlerTiming } from "./handler.js";
export type {
  ComponentPayload,
  ComponentPayloads,
  ModelEnd,
  ModelStart,
  PayloadOf,
  ToolChunk,
  ToolEnd,
  ToolStart,
} from "./payloads.js";
export { RunEmitter, type RunEmitterOptions, type RunEvents, type RunMoment, type RunMoments } from "./run-emitter.js";
export type { ComponentKind, RunInfo } from "./run-info.js";
export type { SideEvent, SideEventKind } from "./side-event.js";
export { type TraceNode, type TraceRecorder, type TraceRecorderOptions, traceRecorder } from "./trace-recorder.js";
