import type { SwapView } from '@palimpsest/client';
import { counted } from '../format/format.ts';

/** Documents that the new generation has with their old chunks, with the reason. The server lists some of them. */
export function NotRechunked({ view: { notRechunked } }: Readonly<{ view: SwapView }>) {
  if (!notRechunked) return null;
  const { total, documents } = notRechunked;
  const rest = total - documents.length;
  return (
    <details>
      <summary>{counted(total, 'document')} could not be chunked again, and keep their chunks</summary>
      <ul>
        {documents.map(({ documentId, source, reason }) => (
          <li key={documentId} className="breakable">
            {source}: {reason}
          </li>
        ))}
        {rest > 0 && <li>and {counted(rest, 'other')}</li>}
      </ul>
    </details>
  );
}
