/** @jsxImportSource preact */

const paths = {
  graph: "M5 4h4v4H5zM15 4h4v4h-4zM10 16h4v4h-4zM7 8v3h10V8M12 11v5",
  model: "M12 3l2.2 5.6L20 11l-5.8 2.2L12 19l-2.2-5.8L4 11l5.8-2.4z",
  lambda: "M8 4c3 0 3 3 4 6l4 10M12 11L7 20",
  tool: "M14.5 5.5a4 4 0 0 0-5 5L4 16l4 4 5.5-5.5a4 4 0 0 0 5-5L16 12l-3-1-1-3z",
  agent: "M12 3l7.8 4.5v9L12 21l-7.8-4.5v-9zM12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9",
  each: "M5 6h14M5 12h14M5 18h14",
  ask: "M12 17v.5M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4",
  inbox: "M4 13l2.5-8h11L20 13v6H4zM4 13h4l1.5 3h5L16 13h4",
  runs: "M4 6h10M4 12h16M4 18h7",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  prev: "M15 6l-6 6 6 6",
  next: "M9 6l6 6-6 6",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
  fork: "M7 4v16M7 12c8 0 10-2 10-8M14 7l3-3 3 3",
  chain: "M4 12h5M15 12h5M9 8h6v8H9z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  failed: "M6 6l12 12M18 6L6 18",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5L20 20",
  stop: "M7 7h10v10H7z",
  document: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  again: "M19 12a7 7 0 1 1-2.5-5.4M19 3v5h-5",
} as const;

export type IconName = keyof typeof paths;

interface IconProps {
  readonly name: IconName;
  readonly size?: number;
  readonly isFilled?: boolean;
}

/** An icon beside a text: it says nothing that the text does not. */
export function Icon({ name, size = 15, isFilled = false }: IconProps) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={isFilled ? "currentColor" : "none"}
      stroke={isFilled ? "none" : "currentColor"}
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d="M12 2l8.7 5v10L12 22l-8.7-5V7z" />
      <path d="M12 2v20M3.3 7l17.4 10M20.7 7L3.3 17" />
      <path d="M12 7.2l4.2 2.4v4.8L12 16.8l-4.2-2.4V9.6z" opacity=".55" />
    </svg>
  );
}

/** The icon of a component. */
export function iconOf(component: string, type = ""): IconName {
  if (type === "each") return "each";
  switch (component) {
    case "model":
    case "agent":
    case "chain":
    case "tool":
      return component;
    case "tools_node":
      return "tool";
    case "graph":
    case "workflow":
      return "graph";
    case "template":
    case "loader":
      return "document";
    case "retriever":
    case "embedder":
      return "search";
    default:
      return "lambda";
  }
}

/** What a component is called. */
export function kindOf(component: string, type = ""): string {
  if (component === "lambda") return type === "each" ? "each item" : "function";
  return component === "tools_node" ? "tools" : component;
}
