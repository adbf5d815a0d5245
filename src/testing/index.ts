/**
 * For tests: a scripted model, a recording handler, a manual clock, and conformance suites for your own
 * components and stores.
 *
 * @packageDocumentation
 */

export { cacheStoreConformance, type OpenCache } from "./cache-store-conformance.js";
export { checkpointStoreConformance } from "./checkpoint-store-conformance.js";
export type { ConformanceCheck } from "./conformance.js";
export { handlerConformance } from "./handler-conformance.js";
export { type ManualClock, manualClock } from "./manual-clock.js";
export { type ModelCase, modelConformance } from "./model-conformance.js";
export { type ParserCase, parserConformance } from "./parser-conformance.js";
export {
  type RecordedEvent,
  type RecordingHandler,
  type RecordingOptions,
  recordingHandler,
} from "./recording-handler.js";
export {
  type DocumentsCase,
  type EmbedderCase,
  embedderConformance,
  indexerConformance,
  type LoaderCase,
  loaderConformance,
  type RetrieverCase,
  retrieverConformance,
  transformerConformance,
} from "./retrieval-conformance.js";
export type { MakeRunnable, RunnableCase, Work } from "./runnable/subject.js";
export { runnableConformance } from "./runnable-conformance.js";
export {
  type ModelCall,
  type ScriptEntry,
  type ScriptedAnswer,
  type ScriptedModel,
  scriptedModel,
} from "./scripted-model.js";
export { type Simulation, simulate } from "./simulate.js";
export type { OpenStore } from "./store/store-stage.js";
export { type TemplateCase, templateConformance } from "./template-conformance.js";
export { type ToolConformanceOptions, toolConformance } from "./tool-conformance.js";
export { toolContext } from "./tool-context.js";
export { vectorStoreConformance } from "./vector-store-conformance.js";
export type { OpenVectors } from "./vectors/vector-stage.js";
