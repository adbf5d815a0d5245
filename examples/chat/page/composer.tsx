import { type KeyboardEvent, useState } from "react";

interface ComposerProps {
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const send = (): void => {
    if (isBusy || text.trim() === "") return;
    onSend(text.trim());
    setText("");
  };
  return (
    <form
      className="composer"
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: there is nothing else to do on this page
        autoFocus
        rows={1}
        placeholder="Write a message"
        aria-label="Message"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => onEnter(event, send)}
      />
      {isBusy ? (
        <button type="button" className="primary" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="primary" disabled={text.trim() === ""}>
          Send
        </button>
      )}
    </form>
  );
}

/** Enter sends, Shift and Enter begins a new line; the Enter that ends a word of an input method does neither. */
export function onEnter(event: KeyboardEvent, send: () => void): void {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  send();
}
