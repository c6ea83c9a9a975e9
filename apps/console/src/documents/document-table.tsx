import { Link } from 'react-router';
import type { DocumentView } from '@palimpsest/client';
import { bytes, count, dateTime } from '../format/format.ts';
import { inTime } from '../past/as-of.ts';
import { useAsOf } from '../past/use-as-of.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import { refusedChunks } from './refused-chunks.ts';

export function DocumentTable({ documents }: Readonly<{ documents: readonly DocumentView[] }>) {
  return (
    <div className="table-box" role="region" aria-label="Documents" tabIndex={0}>
      <table className="documents">
        <thead>
          <tr>
            <th scope="col">Document</th>
            <th scope="col">Status</th>
            <th scope="col">Knowledge base</th>
            <th scope="col" className="number">
              Chunks
            </th>
            <th scope="col" className="number">
              Size
            </th>
            <th scope="col">Added</th>
          </tr>
        </thead>
        <tbody>
          {documents.map((document) => (
            <Row key={document.documentId} document={document} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ document }: Readonly<{ document: DocumentView }>) {
  const { documentId, title, sourceId, status, detail, reason, knowledgeBase, chunks, submittedAt } = document;
  const asOf = useAsOf();
  return (
    <tr>
      <th scope="row">
        <Link to={inTime(`/documents/${documentId}`, asOf)}>{title}</Link>
        {sourceId !== title && <span className="under">{sourceId}</span>}
        {status === 'failed' && <span className="under bad-text">{detail ?? reason}</span>}
      </th>
      <td>
        <StatusBadge status={status} />
      </td>
      <td className="breakable">{knowledgeBase}</td>
      <td className="number">
        {count(chunks)}
        {refusedChunks(document).map((part) => (
          <span key={part} className="under">
            {part}
          </span>
        ))}
      </td>
      <td className="number">{bytes(document.bytes)}</td>
      <td className="when">
        <time dateTime={submittedAt} title={submittedAt}>
          {dateTime(submittedAt)}
        </time>
      </td>
    </tr>
  );
}
