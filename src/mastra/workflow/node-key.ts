import { END, START } from "../../compose/plan/plan.js";

/** The node key of a step id. A step may be called like the start or the end of a graph. */
export function keyOf(id: string): string {
  if (id === START || id === END) return `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
  return id.replaceAll("%", "%25").replaceAll("/", "%2F");
}
