import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ProblemError } from '@palimpsest/client';
import { LiveBadge } from '../live/live-badge.tsx';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { Chunks } from './chunks.tsx';
import { DocumentFacts } from './document-facts.tsx';
import { useLiveDocuments } from './use-live-documents.ts';
import { Versions } from './versions.tsx';

const POLL_MS = 3_000;

export function DocumentPage() {
  const { id = '' } = useParams();
  const { client, rights } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [confirming, setConfirming] = useState(false);
  const live = useLiveDocuments({ document: id });
  const { data: document, error } = useQuery({
    queryKey: ['document', id],
    queryFn: ({ signal }) => client.documents.get(id, { signal }),
    refetchInterval: live === 'live' ? false : POLL_MS,
  });
  const retry = useMutation({
    mutationFn: () => client.documents.retry(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['document', id] }),
  });
  const remove = useMutation({
    mutationFn: () => client.documents.remove(id),
    onSuccess: () => {
      queries.removeQueries({ queryKey: ['document', id] });
      void queries.invalidateQueries({ queryKey: ['documents'] });
      void navigate('/documents', { replace: true });
    },
  });
  if (document === undefined)
    return (
      <>
        <PageTitle>Document</PageTitle>
        {error instanceof ProblemError && error.status === 404 ? (
          <EmptyState title="Document not found">
            <p>
              It may have been deleted, or your key has no access to it. <Link to="/documents">All documents</Link>
            </p>
          </EmptyState>
        ) : (
          <>
            <ProblemNotice error={error} />
            {error === null && (
              <p className="muted" role="status">
                Loading…
              </p>
            )}
          </>
        )}
      </>
    );
  const { title, status, detail, reason } = document;
  const actions = (
    <>
      <LiveBadge state={live} />
      {rights.writes && status === 'failed' && (
        <button type="button" className="button primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
          Retry
        </button>
      )}
      {rights.writes && (
        <button type="button" className="button danger" onClick={() => setConfirming(true)}>
          Delete
        </button>
      )}
    </>
  );
  return (
    <>
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/documents">Documents</Link> ›{' '}
        <Link to={`/documents?kb=${encodeURIComponent(document.knowledgeBase)}`}>{document.knowledgeBase}</Link>
      </nav>
      <PageTitle actions={actions}>{title}</PageTitle>
      {status === 'failed' && (
        <div className="notice bad">
          <p className="notice-title">Indexing failed{reason === undefined ? '' : `: ${reason}`}</p>
          {detail !== undefined && <p>{detail}</p>}
          {document.indexedVersion !== undefined && <p>Searches still return version {document.indexedVersion}.</p>}
        </div>
      )}
      <ProblemNotice error={retry.error} />
      <DocumentFacts document={document} />
      <Versions versions={document.versions} />
      <Chunks documentId={id} version={document.indexedVersion} />
      {confirming && (
        <Confirm
          title="Delete this document?"
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>“{title}” is removed from all searches immediately. Its events stay on the log, sealed.</p>
        </Confirm>
      )}
    </>
  );
}
