import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ProblemError } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { Configure } from './configure.tsx';
import { DefaultStrategy } from './default-strategy.tsx';
import { DeleteKnowledgeBase } from './delete-knowledge-base.tsx';
import { KnowledgeBaseFacts } from './knowledge-base-facts.tsx';

export function KnowledgeBasePage() {
  const { id = '' } = useParams();
  const { client, rights } = useSession();
  const queries = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const { data: base, error } = useQuery({
    queryKey: ['knowledge-base', id],
    queryFn: ({ signal }) => client.knowledgeBases.get(id, { signal }),
    refetchInterval: ({ state }) => state.status === 'success' && state.data?.status === 'deleting' && LOOK_AGAIN_MS,
  });
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['knowledge-base', id] });
    await queries.invalidateQueries({ queryKey: ['knowledge-bases'] });
  };
  const pause = useMutation({ mutationFn: () => client.knowledgeBases.pause(id), onSuccess: refresh });
  const resume = useMutation({ mutationFn: () => client.knowledgeBases.resume(id), onSuccess: refresh });
  const archive = useMutation({
    mutationFn: () => client.knowledgeBases.archive(id),
    onSuccess: async () => {
      await refresh();
      setConfirming(false);
    },
  });
  if (base === undefined || isMissing(error)) return <NotShown error={error} />;
  const { name, status } = base;
  const isOpen = status === 'active' || status === 'paused';
  const changes = isOpen && (
    <>
      {status === 'paused' ? (
        <button type="button" className="button primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </button>
      ) : (
        <button type="button" className="button" disabled={pause.isPending} onClick={() => pause.mutate()}>
          Pause
        </button>
      )}
      <button type="button" className="button danger" onClick={() => setConfirming(true)}>
        Archive
      </button>
    </>
  );
  const actions = rights.writes && status !== 'deleting' && (
    <>
      {changes}
      {id !== DEFAULT && <DeleteKnowledgeBase base={base} onDeleted={refresh} />}
    </>
  );
  return (
    <>
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/knowledge-bases">Knowledge bases</Link>
      </nav>
      <PageTitle actions={actions}>{name}</PageTitle>
      <ProblemNotice error={pause.error ?? resume.error} />
      <KnowledgeBaseFacts base={base} />
      {rights.reads && <DefaultStrategy key={`strategy of ${id}`} id={id} onSet={refresh} />}
      {rights.writes && isOpen && <Configure key={id} base={base} onSaved={refresh} />}
      {confirming && (
        <Confirm
          title="Archive this knowledge base?"
          action="Archive"
          busy={archive.isPending}
          error={archive.error}
          onConfirm={() => archive.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>“{name}” permanently stops accepting documents. Its existing documents stay searchable.</p>
        </Confirm>
      )}
    </>
  );
}

const isMissing = (error: Error | null): boolean => error instanceof ProblemError && error.status === 404;

function NotShown({ error }: Readonly<{ error: Error | null }>) {
  return (
    <>
      <PageTitle>Knowledge base</PageTitle>
      {isMissing(error) ? (
        <EmptyState title="Knowledge base not found">
          <p>
            It does not exist, or your key has no access to it. <Link to="/knowledge-bases">All knowledge bases</Link>
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
}

/** Until a knowledge base that is being deleted is gone. */
const LOOK_AGAIN_MS = 1_000;

/** It takes documents that name none, and cannot be deleted. */
const DEFAULT = 'default';
