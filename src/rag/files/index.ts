export { type DirectoryLoaderOptions, directoryLoader } from "./directory-loader.js";
export { type FileLoaderOptions, fileLoader, type SourceLoader } from "./file-loader.js";
export { type WebLoaderOptions, webLoader } from "./web-loader.js";
