import { useEffect } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { counted } from '../format/format.ts';
import type { AsOf } from '../past/as-of.ts';
import { inPast } from '../past/being-built.ts';
import { useClient } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { ChunkCard } from './chunk-card.tsx';

const PER_PAGE = 50;

type Props = Readonly<{ documentId: string; version: number | undefined; asOf: AsOf }>;

/** The chunks of a document. `?chunk=3` scrolls to the third one; search results link to it this way. */
export function Chunks({ documentId, version, asOf }: Props) {
  const client = useClient();
  const [parameters] = useSearchParams();
  const wanted = Number(parameters.get('chunk')) || undefined;
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...inPast(asOf),
    queryKey: ['chunks', documentId, version, asOf],
    queryFn: ({ signal, pageParam }) =>
      client.documents.chunks(
        documentId,
        { limit: PER_PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }), ...(asOf === undefined ? {} : { asOf }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    enabled: version !== undefined,
  });
  const chunks = data?.pages.flatMap((page) => page.chunks) ?? [];
  const isMissing = wanted !== undefined && chunks.length > 0 && chunks.length < wanted && hasNextPage;
  useEffect(() => {
    if (isMissing && !isFetchingNextPage) void fetchNextPage();
  }, [isMissing, isFetchingNextPage, fetchNextPage]);
  const total = chunks[0]?.of;
  return (
    <section aria-labelledby="chunks">
      <h2 id="chunks">Indexed chunks</h2>
      <ProblemNotice error={error} />
      {version === undefined && <p className="muted">No chunks yet: the document is not indexed.</p>}
      {total !== undefined && (
        <p className="hint">
          {counted(total, 'chunk')}
          {chunks.length < total && `, showing the first ${chunks.length}`}
        </p>
      )}
      <ol className="chunks">
        {chunks.map((chunk) => (
          <ChunkCard key={chunk.chunkId} chunk={chunk} wanted={chunk.index + 1 === wanted} />
        ))}
      </ol>
      {hasNextPage && (
        <p className="more">
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </button>
        </p>
      )}
    </section>
  );
}
