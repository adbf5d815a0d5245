import type { ReactNode } from "react";
import type { ChatPart } from "./chat-message.js";

/** What the user can answer. */
export interface Answers {
  readonly approve: (approvalId: string, approved: boolean) => void;
  readonly choose: (toolCallId: string, time: string) => void;
}

export interface ToolPartProps {
  readonly part: ChatPart;
  /** Whether a question of this part can still be answered. */
  readonly isOpen: boolean;
  readonly answers: Answers;
}

/** A call of a tool: what it does, what it asks, what became of it. */
export function ToolPart({ part, isOpen, answers }: ToolPartProps) {
  switch (part.type) {
    case "tool-find_tables":
      if (part.state === "output-error") return <Note mark="!">{part.errorText}</Note>;
      if (part.state !== "output-available") return <Note mark="…">Looking for tables</Note>;
      return <Note mark="✓">{`${part.output.day}: ${part.output.times.length} times are free`}</Note>;
    case "tool-choose_time":
      if (part.state === "output-available") return <Note mark="✓">{`You chose ${part.output.time}`}</Note>;
      if (part.state !== "input-available" || !isOpen) return <Note mark="…">No time chosen</Note>;
      return (
        <fieldset className="choices times">
          <legend>When would you like to come?</legend>
          {part.input.times.map((time) => (
            <button type="button" key={time} onClick={() => answers.choose(part.toolCallId, time)}>
              {time}
            </button>
          ))}
        </fieldset>
      );
    case "tool-book_table":
      return <Booking part={part} isOpen={isOpen} answers={answers} />;
    default:
      return null; // step-start, and what this page does not show
  }
}

type BookingPart = Extract<ChatPart, { type: "tool-book_table" }>;

function Booking({ part, isOpen, answers }: ToolPartProps & { readonly part: BookingPart }) {
  if (part.state === "output-error") return <Note mark="!">{part.errorText}</Note>;
  if (part.state === "output-available") return <Note mark="✓">{`Booked, ${part.output.reference}`}</Note>;
  if (part.state === "output-denied") return <Note mark="✕">Not booked</Note>;
  if (part.state === "input-streaming") return <Note mark="…">Booking a table</Note>;
  if (part.state !== "approval-requested" || !isOpen) return <Note mark="…">Booking a table</Note>;
  const { day, time, people } = part.input;
  const { id } = part.approval;
  return (
    <section className="approval" aria-label="Approval">
      <h2>Book this table?</h2>
      <dl>
        <dt>Day</dt>
        <dd>{day}</dd>
        <dt>Time</dt>
        <dd>{time}</dd>
        <dt>People</dt>
        <dd>{people}</dd>
      </dl>
      <div className="choices">
        <button type="button" className="primary" onClick={() => answers.approve(id, true)}>
          Approve
        </button>
        <button type="button" onClick={() => answers.approve(id, false)}>
          Decline
        </button>
      </div>
    </section>
  );
}

function Note({ mark, children }: { readonly mark: string; readonly children: ReactNode }) {
  return (
    <p className="note">
      <span aria-hidden="true">{mark}</span> {children}
    </p>
  );
}
