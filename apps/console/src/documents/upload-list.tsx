import { Link } from 'react-router';
import { ConnectionError } from '@palimpsest/client';
import type { Submission } from '@palimpsest/client';
import { bytes } from '../format/format.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import { isOver, type Upload, type UploadQueue } from '../uploads/upload-queue.ts';
import { useDocumentState } from './document-state.ts';

/** At most this many rows; uploads that need attention come first. */
const SHOWN = 100;

const urgency = ({ state }: Upload): number =>
  state.is === 'refused'
    ? 0
    : state.is === 'sending' || state.is === 'busy'
      ? 1
      : state.is === 'answered' && state.submission.status === 'rejected'
        ? 0
        : 2;

export function UploadList({ uploads, queue }: Readonly<{ uploads: readonly Upload[]; queue: UploadQueue }>) {
  const shown = uploads.length <= SHOWN ? uploads : [...uploads].sort((one, other) => urgency(one) - urgency(other)).slice(0, SHOWN);
  return (
    <>
      <ul className="uploads" aria-label="Uploads">
        {shown.map((upload) => (
          <li key={upload.id}>
            <span className="upload-name">
              {upload.name} <span className="muted">{bytes(upload.bytes)}</span>
            </span>
            <State upload={upload} />
            {!isOver(upload) && (
              <button type="button" className="button quiet small" onClick={() => queue.cancel(upload.id)}>
                Cancel<span className="visually-hidden"> {upload.name}</span>
              </button>
            )}
            {(upload.state.is === 'refused' || upload.state.is === 'cancelled') && (
              <button type="button" className="button quiet small" onClick={() => queue.retry(upload.id)}>
                Retry<span className="visually-hidden"> {upload.name}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {shown.length < uploads.length && <p className="hint">{uploads.length - shown.length} more are not shown.</p>}
    </>
  );
}

const messageOf = (error: unknown): string =>
  error instanceof ConnectionError ? "Can't reach the server." : error instanceof Error ? error.message : String(error);

function State({ upload: { name, state } }: Readonly<{ upload: Upload }>) {
  switch (state.is) {
    case 'waiting':
      return <StatusBadge status="waiting">waiting</StatusBadge>;
    case 'sending': {
      const percent = state.total === 0 ? 0 : Math.min(100, Math.round((100 * state.sent) / state.total));
      return (
        <span className="upload-progress">
          <progress max={100} value={percent} aria-label={`Sending ${name}`} /> {percent} %
        </span>
      );
    }
    case 'busy':
      return (
        <span>
          <StatusBadge status="waiting">server busy</StatusBadge>{' '}
          <span className="muted">retrying in {Math.ceil(state.delayMs / 1000)} s</span>
        </span>
      );
    case 'refused':
      return (
        <span>
          <StatusBadge status="rejected">refused</StatusBadge> <span className="bad-text">{messageOf(state.error)}</span>
        </span>
      );
    case 'cancelled':
      return <StatusBadge status="cancelled">cancelled</StatusBadge>;
    case 'answered':
      return <Answered submission={state.submission} />;
  }
}

function Answered({ submission }: Readonly<{ submission: Submission }>) {
  if (submission.status === 'rejected')
    return (
      <span>
        <StatusBadge status="rejected">rejected</StatusBadge> <span className="bad-text">{submission.error.detail}</span>
      </span>
    );
  const { documentId, status } = submission;
  if (status === 'skipped')
    return (
      <span>
        <StatusBadge status={submission.error ? 'failed' : 'skipped'}>{submission.error ? 'failed before' : 'unchanged'}</StatusBadge>{' '}
        {submission.error && <span className="bad-text">{submission.error.detail}</span>} <Link to={`/documents/${documentId}`}>Open</Link>
      </span>
    );
  return <Accepted documentId={documentId} />;
}

/** The live status of a document that was accepted. */
function Accepted({ documentId }: Readonly<{ documentId: string }>) {
  const state = useDocumentState(documentId);
  if (state === undefined) return <StatusBadge status="accepted">accepted</StatusBadge>;
  const { status, progress, document } = state;
  return (
    <span>
      <StatusBadge status={status} />
      {status === 'processing' && progress !== undefined && (
        <span className="muted">
          {' '}
          {progress.chunks} of {progress.of} chunks
        </span>
      )}
      {status === 'failed' && <span className="bad-text"> {document?.detail ?? document?.reason}</span>}
      {status !== 'deleted' && (
        <>
          {' '}
          <Link to={`/documents/${documentId}`}>Open</Link>
        </>
      )}
    </span>
  );
}
