/** Pictures of graphs and of their runs. Needs the package `@viz-js/viz`. @packageDocumentation */

export type { PictureTheme } from "./theme.js";
export { type SvgOptions, toSvg } from "./to-svg.js";
