import { useEffect, useRef } from 'react';
import type { ChunkView } from '@palimpsest/client';

/** `wanted`: the page scrolls to it. */
export function ChunkCard({ chunk, wanted = false }: Readonly<{ chunk: ChunkView; wanted?: boolean }>) {
  const { index, of, text, contextPrefix, headings, fromLine, toLine, page, symbol, chunkId } = chunk;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!wanted) return;
    item.current?.scrollIntoView({ block: 'center' });
    item.current?.focus({ preventScroll: true });
  }, [wanted]);
  return (
    <li ref={item} className={`card chunk${wanted ? ' marked' : ''}`} tabIndex={wanted ? -1 : undefined}>
      <p className="chunk-head">
        <strong>
          Chunk {index + 1} of {of}
        </strong>
        <span className="muted">
          lines {fromLine}–{toLine}
          {page !== undefined && `, page ${page}`}
          {symbol !== undefined && `, ${symbol}`}
        </span>
        <code className="id">{chunkId}</code>
      </p>
      {headings.length > 0 && <p className="headings">{headings.join(' › ')}</p>}
      {headings.length === 0 && contextPrefix !== '' && <p className="headings">{contextPrefix}</p>}
      <p className="chunk-text">{text}</p>
    </li>
  );
}
