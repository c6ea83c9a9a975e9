import { useInfiniteQuery } from '@tanstack/react-query';
import type { DocumentVersionDetails } from '@palimpsest/client';
import { counted, momentText } from '../format/format.ts';
import { useClient } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ChunkCard } from './chunk-card.tsx';

const PER_PAGE = 50;

/** The text of a version, in its chunks. It does not change any more. */
export function VersionText({ documentId, version }: Readonly<{ documentId: string; version: number }>) {
  const client = useClient();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['version', documentId, version],
    queryFn: ({ signal, pageParam }) =>
      client.documents.version(
        documentId,
        version,
        { limit: PER_PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: Infinity,
  });
  const first = data?.pages[0];
  return (
    <section aria-labelledby="version-text">
      <h3 id="version-text">Text of version {version}</h3>
      <ProblemNotice error={error} />
      <p className="hint" role="status">
        {first === undefined ? error === null && 'Loading…' : aboutOf(first)}
      </p>
      <ol className="chunks">
        {data?.pages
          .flatMap((page) => page.chunks)
          .map((chunk) => (
            <ChunkCard key={chunk.chunkId} chunk={chunk} />
          ))}
      </ol>
      {hasNextPage && (
        <p className="more">
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more of version {version}
          </button>
        </p>
      )}
    </section>
  );
}

const aboutOf = ({ total, title, indexed, detail }: DocumentVersionDetails): string =>
  [
    `“${title}”`,
    ...(indexed === undefined ? [] : [`indexed ${momentText(indexed.at)} (position ${indexed.position})`]),
    counted(total, 'chunk'),
    ...(detail === undefined ? [] : [detail]),
  ].join(', ');
