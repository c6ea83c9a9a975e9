import { Link, useSearchParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import type { KnowledgeBaseView } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { NewKnowledgeBase } from './new-knowledge-base.tsx';

export function KnowledgeBasesPage() {
  const { client, rights } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const { data, error, isPending } = useQuery({
    queryKey: ['knowledge-bases'],
    queryFn: ({ signal }) => client.knowledgeBases.list({ signal }),
  });
  const create = (
    <button type="button" className="button primary" onClick={() => setParameters({ new: '' })}>
      New knowledge base
    </button>
  );
  return (
    <>
      <PageTitle lead="Collections of documents. Each has its own scope and chunking." actions={rights.writes && create}>
        Knowledge bases
      </PageTitle>
      <ProblemNotice error={error} />
      {isPending && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      {data?.length === 0 && (
        <EmptyState title="No knowledge base yet">
          <p>
            The first upload creates one named <code>default</code>. Create others for documents that need other readers or other chunking.
          </p>
        </EmptyState>
      )}
      <ul className="cards">
        {data?.map((base) => (
          <Card key={base.id} base={base} />
        ))}
      </ul>
      {rights.writes && parameters.has('new') && <NewKnowledgeBase onClose={() => setParameters({}, { replace: true })} />}
    </>
  );
}

function Card({ base: { id, name, description, scope, status, documents } }: Readonly<{ base: KnowledgeBaseView }>) {
  return (
    <li className="card base">
      <div className="base-head">
        <h2>
          <Link to={`/knowledge-bases/${id}`}>{name}</Link>
        </h2>
        <StatusBadge status={status} />
      </div>
      <p className="muted">
        <code>{id}</code> · readable by <code>{scope}</code>
      </p>
      {description !== '' && <p>{description}</p>}
      <p>
        <Link to={`/documents?kb=${encodeURIComponent(id)}`}>{counted(documents, 'document')}</Link> ·{' '}
        <Link to={`/search?kb=${encodeURIComponent(id)}`}>Search it</Link>
      </p>
    </li>
  );
}
