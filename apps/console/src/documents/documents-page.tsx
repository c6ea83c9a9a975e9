import { queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import type { DocumentPage, DocumentStatus } from '@palimpsest/client';
import { LiveBadge } from '../live/live-badge.tsx';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { DocumentTable } from './document-table.tsx';
import { NoDocuments } from './no-documents.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { useLiveDocuments } from './use-live-documents.ts';

const STATUSES: readonly DocumentStatus[] = ['pending', 'processing', 'indexed', 'failed'];
const PER_PAGE = 50;
/** Polling interval while the live stream is not connected. */
const POLL_MS = 4_000;

export function DocumentsPage() {
  const { client, rights } = useSession();
  const [parameters, setParameters] = useSearchParams();
  const knowledgeBase = parameters.get('kb') ?? undefined;
  const status = STATUSES.find((each) => each === parameters.get('status'));
  const source = parameters.get('source') ?? undefined;
  const live = useLiveDocuments();
  const queries = useQueryClient();
  const listing = queryOptions({ queryKey: ['knowledge-bases'], queryFn: ({ signal }) => client.knowledgeBases.list({ signal }) });
  const bases = useQuery(listing);
  const documents = useInfiniteQuery({
    queryKey: ['documents', { knowledgeBase, status, source }],
    queryFn: ({ signal, pageParam }): Promise<DocumentPage> =>
      client.documents.list({ knowledgeBase, status, source, limit: PER_PAGE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: live === 'live' ? false : POLL_MS,
  });
  const setFilter = (name: string, value: string): void =>
    setParameters((before) => {
      const after = new URLSearchParams(before);
      if (value === '') after.delete(name);
      else after.set(name, value);
      return after;
    });
  const rows = documents.data?.pages.flatMap((page) => page.documents) ?? [];
  const filtered = knowledgeBase !== undefined || status !== undefined || source !== undefined;
  return (
    <>
      <PageTitle lead="Everything you have uploaded, and its status." actions={<LiveBadge state={live} />}>
        Documents
      </PageTitle>
      {rights.writes && (
        <UploadPanel
          key={knowledgeBase}
          knowledgeBases={bases.data}
          loaded={() => queries.ensureQueryData(listing)}
          chosen={knowledgeBase}
        />
      )}
      <form className="field-row narrowing" role="search" aria-label="Filter the list" onSubmit={(event) => event.preventDefault()}>
        <Field label="Knowledge base">
          {(given) => (
            <select {...given} value={knowledgeBase ?? ''} onChange={({ target }) => setFilter('kb', target.value)}>
              <option value="">All</option>
              {bases.data?.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
              {knowledgeBase !== undefined && !bases.data?.some(({ id }) => id === knowledgeBase) && (
                <option value={knowledgeBase}>{knowledgeBase}</option>
              )}
            </select>
          )}
        </Field>
        <Field label="Status">
          {(given) => (
            <select {...given} value={status ?? ''} onChange={({ target }) => setFilter('status', target.value)}>
              <option value="">Any</option>
              {STATUSES.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Source" hint="beginning of the source name">
          {(given) => (
            <input
              {...given}
              key={source}
              defaultValue={source ?? ''}
              spellCheck={false}
              onBlur={({ target }) => target.value !== (source ?? '') && setFilter('source', target.value)}
              onKeyDown={({ key, currentTarget }) => key === 'Enter' && setFilter('source', currentTarget.value)}
            />
          )}
        </Field>
      </form>
      <ProblemNotice error={documents.error ?? bases.error} />
      {documents.isPending && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      {documents.isSuccess && rows.length === 0 && (
        <NoDocuments filtered={filtered} mayUpload={rights.writes} onAll={() => setParameters({})} />
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
