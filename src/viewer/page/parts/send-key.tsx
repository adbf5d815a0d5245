/** @jsxImportSource preact */

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The keys that send a form, beside the word of its button. */
export function SendKey() {
  return (
    <span class="kbd keys" aria-hidden="true">
      {isMac ? "⌘↵" : "Ctrl ↵"}
    </span>
  );
}

/** Whether these keys send the form: Ctrl Enter, or ⌘ Enter. */
export function isSendKey({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === "Enter" && (ctrlKey || metaKey);
}
