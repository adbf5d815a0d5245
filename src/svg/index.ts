/** Pictures of graphs and of their runs. @packageDocumentation */

export type { PictureTheme } from "./theme.js";
export { type SvgOptions, toSvg } from "./to-svg.js";
