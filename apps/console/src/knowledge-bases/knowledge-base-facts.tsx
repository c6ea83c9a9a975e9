import { Link } from 'react-router';
import type { KnowledgeBaseView } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import { StoredList } from './stored-list.tsx';

export function KnowledgeBaseFacts({ base }: Readonly<{ base: KnowledgeBaseView }>) {
  const { id, description, scope, status, documents, synonyms, fields } = base;
  return (
    <dl className="facts card">
      <div>
        <dt>Status</dt>
        <dd>
          <span role="status">
            <StatusBadge status={status} /> {MEANING[status]}
          </span>
        </dd>
      </div>
      <div>
        <dt>ID</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </div>
      <div>
        <dt>Readable by</dt>
        <dd>
          <code>{scope}</code>
        </dd>
      </div>
      <div>
        <dt>Documents</dt>
        <dd>
          <Link to={`/documents?kb=${encodeURIComponent(id)}`}>{counted(documents, 'document')}</Link> ·{' '}
          <Link to={`/search?kb=${encodeURIComponent(id)}`}>Search it</Link> ·{' '}
          <Link to={`/events?kb=${encodeURIComponent(id)}`}>View events</Link>
        </dd>
      </div>
      {description !== '' && (
        <div>
          <dt>Description</dt>
          <dd>{description}</dd>
        </div>
      )}
      {synonyms !== undefined && <StoredList title="Synonyms" unit="rule" entries={synonyms} />}
      {fields !== undefined && (
        <StoredList title="Declared fields" unit="field" entries={Object.entries(fields).map(([field, type]) => `${field}: ${type}`)} />
      )}
    </dl>
  );
}

const MEANING = {
  active: '',
  paused: 'Existing documents stay searchable. New documents are refused, and queued documents are held back until it is resumed.',
  archived: 'Accepts no more documents. Existing documents stay searchable.',
  deleting: 'Its documents are being deleted. Then it disappears.',
} as const;
