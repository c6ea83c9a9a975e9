import { ConnectionError, ProblemError } from '@palimpsest/client';

type Notice = Readonly<{ title: string; detail: string; field?: string | undefined; expected?: string | undefined }>;

const noticeOf = (error: unknown): Notice => {
  if (error instanceof ProblemError) {
    const { title, detail, field, expected, status } = error;
    return { title: title ?? `The server answered with status ${status}`, detail: detail === title ? '' : detail, field, expected };
  }
  if (error instanceof ConnectionError)
    return { title: "Can't reach the server.", detail: 'Retry in a few seconds. The server may be stopped, or the network may be down.' };
  return { title: 'Something went wrong', detail: error instanceof Error ? error.message : String(error) };
};

/** `expected` is what the server would accept: `a number`, `one of a, b`. */
const requirementOf = (expected: string): string => (expected === 'no such field' ? 'Unknown field.' : `Must be ${expected}.`);

/** Shows an error in the server's own words. Screen readers announce it immediately. */
export function ProblemNotice({ error }: Readonly<{ error: unknown }>) {
  if (error === null || error === undefined) return null;
  const { title, detail, field, expected } = noticeOf(error);
  return (
    <div className="notice bad" role="alert">
      <p className="notice-title">{title}</p>
      {detail !== '' && <p>{detail}</p>}
      {field !== undefined && (
        <p>
          Field <code>{field}</code>
          {expected !== undefined && `: ${requirementOf(expected)}`}
        </p>
      )}
    </div>
  );
}
