import { ConnectionError, ProblemError } from '@palimpsest/client';

type Told = Readonly<{ title: string; detail: string; field?: string | undefined; expected?: string | undefined }>;

const told = (error: unknown): Told => {
  if (error instanceof ProblemError) {
    const { title, detail, field, expected, status } = error;
    return { title: title ?? `The server answered with status ${status}`, detail: detail === title ? '' : detail, field, expected };
  }
  if (error instanceof ConnectionError) return { title: 'The server does not answer', detail: 'It may be stopped, or the network is away. Nothing is lost.' };
  return { title: 'Something went wrong here', detail: error instanceof Error ? error.message : String(error) };
};

/** What went wrong, in the server's own words, said at once by a screen reader. */
export function ProblemNotice({ error }: Readonly<{ error: unknown }>) {
  if (error === null || error === undefined) return null;
  const { title, detail, field, expected } = told(error);
  return (
    <div className="notice bad" role="alert">
      <p className="notice-title">{title}</p>
      {detail !== '' && <p>{detail}</p>}
      {field !== undefined && <p>Field <code>{field}</code>{expected !== undefined && <>: expected {expected}</>}</p>}
    </div>
  );
}
