import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { useRef, useState } from "react";
import { brokenStatus, type ChatMessage, isAnswered, loadMessages } from "./chat-message.js";
import { Composer } from "./composer.js";
import { Message } from "./message.js";
import type { Answers } from "./tool-part.js";

const transport = new DefaultChatTransport<ChatMessage>({ api: "/chat" });

interface ChatProps {
  readonly id: string;
  /** The messages so far. */
  readonly messages: ChatMessage[];
}

export function Chat({ id, messages: stored }: ChatProps) {
  const chat = useChat<ChatMessage>({
    id,
    messages: stored,
    transport,
    // a prompt without an answer: it is being written, and the server has what was written so far
    resume: stored.at(-1)?.role === "user",
    sendAutomaticallyWhen: isAnswered,
  });
  const { messages, status, error, sendMessage, setMessages } = chat;
  const [edited, setEdited] = useState<string>();
  const scroller = useRef<HTMLElement>(null);
  const [isStopping, setStopping] = useState(false);
  const isBusy = status === "submitted" || status === "streaming" || isStopping;
  const last = messages.at(-1);
  const broken = isBusy ? undefined : error === undefined ? brokenStatus(last) : "failed";
  const isProblem = broken === "failed" || broken === "cut_off";
  const canRepeat = !isBusy && !isProblem && last?.metadata?.finishReason !== "waiting";

  const answers: Answers = {
    approve: (approvalId, approved) => void chat.addToolApprovalResponse({ id: approvalId, approved }),
    choose: (toolCallId, time) => void chat.addToolOutput({ tool: "choose_time", toolCallId, output: { time } }),
  };

  const send = (text: string): void => {
    scroller.current?.scrollTo(0, 0); // its end: see style.css
    void sendMessage({ text });
  };

  const edit = (messageId: string, text: string): void => {
    setEdited(undefined);
    void sendMessage({ text, messageId });
  };

  /** The run belongs to the server, and goes on without this page: it is stopped there, which also knows what was written. */
  const stop = async (): Promise<void> => {
    setStopping(true);
    await chat.stop();
    await fetch(`/chat/${encodeURIComponent(id)}/stream`, { method: "DELETE" }).catch(() => undefined);
    const known = await loadMessages(id).catch(() => undefined);
    if (known !== undefined) setMessages(known);
    setStopping(false);
  };

  /** Goes on from what the server has: nothing that is done is done again. */
  const tryAgain = async (): Promise<void> => {
    const known = await loadMessages(id).catch(() => undefined);
    if (known === undefined) return;
    const prompt = messages.findLast(({ role }) => role === "user");
    chat.clearError();
    setMessages(known);
    if (prompt !== undefined && !known.some((one) => one.id === prompt.id)) await sendMessage(prompt);
    else if (known.at(-1)?.role === "user") await chat.resumeStream();
    else if (brokenStatus(known.at(-1)) !== undefined) await sendMessage();
  };

  return (
    <div className="chat">
      <header>
        <h1>
          Kawa <span>front desk</span>
        </h1>
        <a className="button" href="/">
          New chat
        </a>
      </header>
      <main ref={scroller}>
        <div className="messages" role="log" aria-busy={isBusy}>
          {messages.length === 0 && <Welcome onSend={send} />}
          {messages.map((message) => (
            <Message
              key={message.id}
              message={message}
              isBusy={isBusy}
              isOpen={message === last && !isBusy}
              isEdited={message.id === edited}
              answers={answers}
              onEdit={(text) => edit(message.id, text)}
              onEditing={(isEditing) => setEdited(isEditing ? message.id : undefined)}
              onAgain={message === last && canRepeat ? () => void chat.regenerate() : undefined}
            />
          ))}
          {status === "submitted" && <p className="thinking">Thinking</p>}
          {isProblem && (
            <div className="problem" role="alert">
              <p>{broken === "failed" ? "Something went wrong." : "The answer was cut off."}</p>
              <button type="button" onClick={() => void tryAgain()}>
                {broken === "failed" ? "Try again" : "Go on"}
              </button>
            </div>
          )}
        </div>
      </main>
      <Composer isBusy={isBusy} onSend={send} onStop={() => void stop()} />
    </div>
  );
}

const suggestions = ["Book a table for two on Friday", "What is on the menu?", "What if the model fails?"];

function Welcome({ onSend }: { readonly onSend: (text: string) => void }) {
  return (
    <section className="welcome">
      <h2>Good evening.</h2>
      <p>Ask for a table, or for the menu.</p>
      <ul>
        {suggestions.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => onSend(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
