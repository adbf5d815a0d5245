/** What watches: handlers, tracers and `RunEmitter`. @packageDocumentation */

export { type ComponentHandler, componentHandlers } from "./component-handlers.js";
export type { ComponentKind } from "./component-kind.js";
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
export { readTrace } from "./read-trace.js";
export { RunEmitter, type RunEmitterOptions, type RunEvents, type RunMoment, type RunMoments } from "./run-emitter.js";
export type { RunInfo } from "./run-info.js";
export type { SideEvent, SideEventKind } from "./side-event.js";
export type { Trace, TraceChunks, TraceEvent, TraceNode, TraceUsage } from "./trace.js";
export { type TraceRecorder, type TraceRecorderOptions, traceRecorder } from "./trace-recorder.js";
