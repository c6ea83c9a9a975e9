import { useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import type { GoldenQueryView } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { gradeText, type Judged } from './judging.ts';

/** A document each: more are named by their source. */
const MAX_TITLES = 50;

type Props = Readonly<{ query: GoldenQueryView; judgeAt: string; onRemove: () => void }>;

/** A query of a set. Its judgements are shown when it is opened. */
export function JudgedQuery({ query: { id, text, synthetic, judgements }, judgeAt, onRemove }: Props) {
  const { rights } = useSession();
  const [isOpen, setOpen] = useState(false);
  const missing = judgements.filter((judgement) => judgement.missing).length;
  const best = judgements.toSorted((a, b) => b.grade - a.grade);
  return (
    <li className="card letter" aria-labelledby={`query-${id}`}>
      <div className="letter-head">
        <div>
          <h2 id={`query-${id}`} className="golden-text">
            {text}
          </h2>
          <p className="muted">
            <code className="id">{id}</code>
            {synthetic && ', written by a model'}
          </p>
        </div>
        {rights.administers && (
          <div className="buttons">
            <Link className="button" to={judgeAt}>
              Change<span className="visually-hidden"> the judgements of “{text}”</span>
            </Link>
            <button type="button" className="button danger" onClick={onRemove}>
              Remove<span className="visually-hidden"> “{text}”</span>
            </button>
          </div>
        )}
      </div>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {counted(judgements.length, 'judgement')}
          {missing > 0 && `, ${missing} of missing documents`}
        </summary>
        {isOpen && (
          <ul>
            {best.map((judged, index) => (
              <li key={judged.documentId} className="breakable">
                <DocumentName document={judged} withTitle={index < MAX_TITLES} />: {gradeText(judged.grade)}
              </li>
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}

/** The title of a judged document, once it is loaded, and its source. */
function DocumentName({ document: { documentId, source, missing }, withTitle }: Readonly<{ document: Judged; withTitle: boolean }>) {
  const { client } = useSession();
  const { data } = useQuery({
    queryKey: ['document', documentId],
    queryFn: ({ signal }) => client.documents.get(documentId, { signal }),
    enabled: withTitle && missing !== true,
    staleTime: Infinity,
  });
  const name = source ?? documentId;
  if (missing === true)
    return (
      <>
        {name} <span className="muted">(does not exist now)</span>
      </>
    );
  return (
    <>
      <Link to={`/documents/${documentId}`}>{data?.title ?? name}</Link>
      {data !== undefined && data.title !== name && <span className="muted"> {name}</span>}
    </>
  );
}
