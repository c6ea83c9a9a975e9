import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { useKnowledgeBases } from '../knowledge-bases/use-knowledge-bases.ts';
import { LiveBadge } from '../live/live-badge.tsx';
import { AS_OF, asOfIn } from '../past/as-of.ts';
import { NotYet } from '../past/not-yet.tsx';
import { PastBanner } from '../past/past-banner.tsx';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { DocumentFilters, STATUSES } from './document-filters.tsx';
import { DocumentTable } from './document-table.tsx';
import { NoDocuments } from './no-documents.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { useDocumentList, type ListFilter } from './use-document-list.ts';
import { useLiveDocuments } from './use-live-documents.ts';

const filterOf = (parameters: URLSearchParams): ListFilter => ({
  knowledgeBase: parameters.get('kb') ?? undefined,
  status: STATUSES.find((each) => each === parameters.get('status')),
  source: parameters.get('source') ?? undefined,
});

/** The documents now, with uploads and live changes, or as they were, without both. */
export function DocumentsPage() {
  const asOf = asOfIn(useSearchParams()[0]);
  return asOf === undefined ? <Current /> : <Past key={asOf} asOf={asOf} />;
}

function Current() {
  const { client, rights } = useSession();
  const [parameters] = useSearchParams();
  const { knowledgeBase } = filterOf(parameters);
  const live = useLiveDocuments();
  const queries = useQueryClient();
  const { knowledgeBases, error } = useKnowledgeBases(undefined);
  const listing = queryOptions({ queryKey: ['knowledge-bases'], queryFn: ({ signal }) => client.knowledgeBases.list({ signal }) });
  const documents = useDocumentList(filterOf(parameters), undefined, live);
  return (
    <>
      <PageTitle lead="Everything you have uploaded, and its status." actions={<LiveBadge state={live} />}>
        Documents
      </PageTitle>
      {rights.writes && (
        <UploadPanel
          key={knowledgeBase}
          knowledgeBases={knowledgeBases}
          loaded={() => queries.ensureQueryData(listing)}
          chosen={knowledgeBase}
        />
      )}
      <DocumentList documents={documents} knowledgeBases={knowledgeBases} error={error} />
    </>
  );
}

function Past({ asOf }: Readonly<{ asOf: string }>) {
  const [parameters] = useSearchParams();
  const documents = useDocumentList(filterOf(parameters), asOf, 'off');
  const { knowledgeBases, error } = useKnowledgeBases(asOf);
  const shown = documents.data?.pages[0]?.asOf;
  return (
    <>
      <PageTitle lead="Everything that was uploaded until then, and its status at that moment.">Documents</PageTitle>
      <PastBanner asOf={asOf} shown={shown} waiting={documents.isPending && documents.failureReason} />
      <NotYet shown={shown} />
      <DocumentList documents={documents} knowledgeBases={knowledgeBases} error={error} />
    </>
  );
}

type ListProps = Readonly<{
  documents: ReturnType<typeof useDocumentList>;
  knowledgeBases: Parameters<typeof DocumentFilters>[0]['knowledgeBases'];
  error: unknown;
}>;

function DocumentList({ documents, knowledgeBases, error }: ListProps) {
  const { rights } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const filter = filterOf(parameters);
  const asOf = asOfIn(parameters);
  const setFilter = (name: string, value: string): void =>
    setParameters((before) => {
      const after = new URLSearchParams(before);
      if (value === '') after.delete(name);
      else after.set(name, value);
      return after;
    });
  const rows = documents.data?.pages.flatMap((page) => page.documents) ?? [];
  return (
    <>
      <DocumentFilters filter={filter} knowledgeBases={knowledgeBases} onChange={setFilter} />
      <ProblemNotice error={documents.error ?? error} />
      {documents.isPending && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      {documents.isSuccess && rows.length === 0 && (
        <NoDocuments
          filtered={Object.values(filter).some((value) => value !== undefined)}
          mayUpload={rights.writes}
          isPast={asOf !== undefined}
          onAll={() => setParameters(asOf === undefined ? {} : { [AS_OF]: asOf })}
        />
      )}
      {rows.length > 0 && <DocumentTable documents={rows} />}
      {documents.hasNextPage && (
        <p className="more">
          <button type="button" className="button" disabled={documents.isFetchingNextPage} onClick={() => void documents.fetchNextPage()}>
            {documents.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </button>
        </p>
      )}
    </>
  );
}
