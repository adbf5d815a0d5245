/** A page that shows graphs, runs and questions, and a run as one file. @packageDocumentation */

export { type RunPageOptions, runPage } from "./run-page.js";
