import { useState } from "react";
import { brokenStatus, type ChatMessage } from "./chat-message.js";
import { onEnter } from "./composer.js";
import { type Answers, ToolPart, type ToolPartProps } from "./tool-part.js";

interface MessageProps {
  readonly message: ChatMessage;
  /** Whether an answer is being written: nothing can be changed meanwhile. */
  readonly isBusy: boolean;
  /** Whether the questions of the message can be answered. */
  readonly isOpen: boolean;
  readonly isEdited: boolean;
  readonly answers: Answers;
  readonly onEdit: (text: string) => void;
  readonly onEditing: (isEditing: boolean) => void;
  /** Asks for another answer, where that is possible. */
  readonly onAgain: (() => void) | undefined;
}

export function Message(props: MessageProps) {
  return props.message.role === "user" ? <Prompt {...props} /> : <Answer {...props} />;
}

function Prompt({ message, isBusy, isEdited, onEdit, onEditing }: MessageProps) {
  const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (isEdited) return <Editor text={text} onSave={onEdit} onCancel={() => onEditing(false)} />;
  return (
    <article className="prompt" aria-label="You">
      <button type="button" className="quiet" disabled={isBusy} onClick={() => onEditing(true)}>
        Edit
      </button>
      <p>{text}</p>
    </article>
  );
}

function Answer({ message, isOpen, answers, onAgain }: MessageProps) {
  return (
    <article className="answer" aria-label="Kawa">
      {message.parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end
        <Part key={index} part={part} isOpen={isOpen} answers={answers} />
      ))}
      {brokenStatus(message) === "aborted" && <p className="stopped">Stopped</p>}
      {onAgain !== undefined && (
        <button type="button" className="quiet" onClick={onAgain}>
          Again
        </button>
      )}
    </article>
  );
}

function Part(props: ToolPartProps) {
  return props.part.type === "text" ? <p className="text">{props.part.text}</p> : <ToolPart {...props} />;
}

interface EditorProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

function Editor({ text: before, onSave, onCancel }: EditorProps) {
  const [text, setText] = useState(before);
  const save = (): void => {
    if (text.trim() !== "") onSave(text.trim());
  };
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the user has asked for it
        autoFocus
        aria-label="Edited message"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => (event.key === "Escape" ? onCancel() : onEnter(event, save))}
      />
      <p>Everything after this message is removed.</p>
      <div className="choices">
        <button type="submit" className="primary">
          Send
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
