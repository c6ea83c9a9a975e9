import { useQuery } from '@tanstack/react-query';
import type { ChunkDifference, DocumentDiff } from '@palimpsest/client';
import { count, momentText } from '../format/format.ts';
import { useClient } from '../session/session.ts';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { unifiedLines, type DiffLine } from './unified-lines.ts';

type Props = Readonly<{ documentId: string; versions: Readonly<{ from: number; to: number }> }>;

/** The difference of two versions: lines of text, and chunks. */
export function VersionDiff({ documentId, versions: { from, to } }: Props) {
  const client = useClient();
  const { data, error, isPending } = useQuery({
    queryKey: ['version-diff', documentId, from, to],
    queryFn: ({ signal }) => client.documents.diff(documentId, { from, to }, { signal }),
    staleTime: Infinity,
  });
  return (
    <section aria-labelledby="version-diff">
      <h3 id="version-diff">
        Version {from} compared with version {to}
      </h3>
      <ProblemNotice error={error} />
      <p className="hint" role="status">
        {data === undefined ? isPending && 'Comparing…' : aboutOf(data)}
      </p>
      {data !== undefined && <Difference diff={data} />}
    </section>
  );
}

const aboutOf = ({ from, to, counts: { added, removed, kept } }: DocumentDiff): string =>
  `${momentText(from.indexed.at)} → ${momentText(to.indexed.at)}. Chunks: ${count(added)} added, ${count(removed)} removed, ${count(kept)} kept.`;

const MISSING = {
  'too-large': 'The texts are too large to be compared by line. The chunks are compared.',
  'too-different': 'Too many lines differ to be listed. The chunks are compared.',
} as const;

function Difference({ diff: { unified, unifiedMissing, truncated, chunks } }: Readonly<{ diff: DocumentDiff }>) {
  return (
    <>
      {unifiedMissing !== undefined && <p className="notice">{MISSING[unifiedMissing]}</p>}
      {truncated && <p className="notice">The difference is longer than what is shown.</p>}
      {unified === '' && <p>The texts are the same.</p>}
      {unified !== undefined && unified !== '' && (
        <pre className="card diff" tabIndex={0} aria-label="Lines that differ">
          {unifiedLines(unified).map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </pre>
      )}
      <details open={unified === undefined}>
        <summary>Chunks that differ</summary>
        <ul className="chunk-differences">
          {chunks
            .filter(({ change }) => change !== 'kept')
            .map((chunk) => (
              <li key={`${chunk.change} ${chunk.chunkId}`}>{placeOf(chunk)}</li>
            ))}
        </ul>
      </details>
    </>
  );
}

/** The sign and the element say the same as the colour. */
function Line({ line: { kind, text } }: Readonly<{ line: DiffLine }>) {
  if (kind === 'added') return <ins>{text}</ins>;
  if (kind === 'removed') return <del>{text}</del>;
  return <span className={kind}>{text}</span>;
}

const placeOf = ({ change, headings, from, to }: ChunkDifference): string => {
  const place = to ?? from;
  return [
    `${change === 'added' ? '+' : '−'} ${change}:`,
    headings.length === 0 ? 'text' : headings.join(' › '),
    ...(place === undefined ? [] : [`lines ${place.fromLine}–${place.toLine}`]),
  ].join(' ');
};
