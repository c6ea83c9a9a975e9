import { useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import type { DocumentDetails } from '@palimpsest/client';
import { LiveBadge } from '../live/live-badge.tsx';
import { inTime, type AsOf } from '../past/as-of.ts';
import { PastBanner } from '../past/past-banner.tsx';
import { useAsOf } from '../past/use-as-of.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { Chunks } from './chunks.tsx';
import { DocumentActions } from './document-actions.tsx';
import { DocumentFacts } from './document-facts.tsx';
import { MissingDocument } from './missing-document.tsx';
import { useDocument } from './use-document.ts';
import { useLiveDocuments } from './use-live-documents.ts';
import { Versions } from './versions.tsx';

/** A document now, with what can be done with it, or as it was. */
export function DocumentPage() {
  const { id = '' } = useParams();
  const asOf = useAsOf();
  return asOf === undefined ? <Current key={id} id={id} /> : <Past key={`${id} ${asOf}`} id={id} asOf={asOf} />;
}

function Current({ id }: Readonly<{ id: string }>) {
  const { rights } = useSession();
  const live = useLiveDocuments({ document: id });
  const { data: document, error } = useDocument(id, undefined, live);
  const [refusal, setRefusal] = useState<unknown>();
  if (document === undefined)
    return (
      <>
        <PageTitle>Document</PageTitle>
        <MissingDocument error={error} asOf={undefined} />
      </>
    );
  const actions = (
    <>
      <LiveBadge state={live} />
      {rights.writes && <DocumentActions document={document} onRetryFailed={setRefusal} />}
    </>
  );
  return (
    <Shown document={document} asOf={undefined} actions={actions}>
      <ProblemNotice error={refusal} />
    </Shown>
  );
}

function Past({ id, asOf }: Readonly<{ id: string; asOf: string }>) {
  const { data: document, error, isPending, failureReason } = useDocument(id, asOf, 'off');
  const banner = <PastBanner asOf={asOf} shown={document?.asOf} waiting={isPending && failureReason} />;
  if (document === undefined)
    return (
      <>
        <PageTitle>Document</PageTitle>
        {banner}
        <MissingDocument error={error} asOf={asOf} />
      </>
    );
  return (
    <Shown document={document} asOf={asOf}>
      {banner}
    </Shown>
  );
}

type Props = Readonly<{ document: DocumentDetails; asOf: AsOf; actions?: ReactNode; children: ReactNode }>;

function Shown({ document, asOf, actions, children }: Props) {
  const { documentId, title, knowledgeBase, indexedVersion, versions } = document;
  return (
    <>
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to={inTime('/documents', asOf)}>Documents</Link> ›{' '}
        <Link to={inTime(`/documents?kb=${encodeURIComponent(knowledgeBase)}`, asOf)}>{knowledgeBase}</Link>
      </nav>
      <PageTitle actions={actions}>{title}</PageTitle>
      {children}
      <Failure document={document} />
      <DocumentFacts document={document} />
      <Versions documentId={documentId} versions={versions} />
      <Chunks documentId={documentId} version={indexedVersion} asOf={asOf} />
    </>
  );
}

function Failure({ document: { status, reason, detail, indexedVersion } }: Readonly<{ document: DocumentDetails }>) {
  if (status !== 'failed') return null;
  return (
    <div className="notice bad">
      <p className="notice-title">Indexing failed{reason === undefined ? '' : `: ${reason}`}</p>
      {detail !== undefined && <p>{detail}</p>}
      {indexedVersion !== undefined && <p>Searches still return version {indexedVersion}.</p>}
    </div>
  );
}
