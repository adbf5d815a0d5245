/**
 * Loaders for files, folders and the web, for Node.js. PDF needs the package `unpdf`, DOCX needs `mammoth`.
 *
 * @packageDocumentation
 */

export { type DirectoryLoaderOptions, directoryLoader } from "./directory-loader.js";
export { type FileLoaderOptions, fileLoader, type SourceLoader } from "./file-loader.js";
export { type WebLoaderOptions, webLoader } from "./web-loader.js";
