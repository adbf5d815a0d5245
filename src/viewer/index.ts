/** A page that shows graphs, runs and questions, in a server of yours or as one file. @packageDocumentation */

export { type DevtoolsOptions, devtools } from "./devtools.js";
export { type RunPageOptions, runPage } from "./run-page.js";
export { viewer } from "./viewer.js";
export type { Access, App, GivenAnswer, Viewer, ViewerOptions } from "./viewer-options.js";
