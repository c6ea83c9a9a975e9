import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { DocumentView } from '@palimpsest/client';
import { bytes, count, dateTime } from '../format/format.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import { refusedChunks } from './refused-chunks.ts';

const Fact = ({ name, children }: Readonly<{ name: string; children: ReactNode }>) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

export function DocumentFacts({ document }: Readonly<{ document: DocumentView }>) {
  const {
    status,
    sourceId,
    knowledgeBase,
    scope,
    mediaType,
    language,
    origin,
    version,
    indexedVersion,
    chunks,
    labels,
    warnings,
    submittedAt,
    indexedAt,
    documentId,
  } = document;
  const named = Object.entries(labels);
  return (
    <dl className="facts card">
      <Fact name="Status">
        <StatusBadge status={status} />
      </Fact>
      <Fact name="Source">
        <span className="breakable">{sourceId}</span>
      </Fact>
      <Fact name="Knowledge base">
        <Link to={`/knowledge-bases/${knowledgeBase}`}>{knowledgeBase}</Link>
      </Fact>
      <Fact name="Scope">{scope}</Fact>
      <Fact name="Version">
        {version}
        {indexedVersion !== undefined && indexedVersion !== version && `; searches use version ${indexedVersion}`}
      </Fact>
      <Fact name="Chunks">{[count(chunks), ...refusedChunks(document)].join(', ')}</Fact>
      <Fact name="Size">{bytes(document.bytes)}</Fact>
      <Fact name="Type">{mediaType}</Fact>
      <Fact name="Language">{language === 'und' ? 'unknown' : language}</Fact>
      <Fact name="Origin">{origin}</Fact>
      <Fact name="Added">
        <time dateTime={submittedAt}>{dateTime(submittedAt)}</time>
      </Fact>
      {indexedAt !== undefined && (
        <Fact name="Indexed">
          <time dateTime={indexedAt}>{dateTime(indexedAt)}</time>
        </Fact>
      )}
      {named.length > 0 && (
        <Fact name="Labels">
          <span className="chips">
            {named.map(([name, value]) => (
              <span key={name} className="chip">
                {name}={value}
              </span>
            ))}
          </span>
        </Fact>
      )}
      {warnings.length > 0 && (
        <Fact name="Warnings">
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Fact>
      )}
      <Fact name="ID">
        <code className="id">{documentId}</code> <Link to={`/events?document=${documentId}`}>View events</Link>
      </Fact>
    </dl>
  );
}
