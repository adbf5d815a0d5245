import { type ComponentChild, Fragment, options, type VNode } from "preact";
import { withControlsNamed } from "../../bidi.js";

const shown = ["title", "aria-label", "alt"] as const;

/** From now on no text of the page, wherever it comes from, has a control of direction in it: they stand by their names. */
export function nameControls(): void {
  const next = options.vnode;
  options.vnode = (vnode) => {
    if (typeof vnode.type === "string" || vnode.type === Fragment) nameIn(vnode as VNode<TextProps>);
    next?.(vnode);
  };
}

type TextProps = Record<string, unknown>;

function nameIn({ props }: VNode<TextProps>): void {
  const { children } = props;
  if (typeof children === "string") props.children = withControlsNamed(children);
  else if (Array.isArray(children)) props.children = children.map(named);
  for (const name of shown) if (name in props) props[name] = named(props[name]);
}

function named(value: unknown): ComponentChild {
  return (typeof value === "string" ? withControlsNamed(value) : value) as ComponentChild;
}
