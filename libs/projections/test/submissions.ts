import { document, documentStream } from '@palimpsest/knowledge/deciders';
import { blobKey, type EventLog } from '@palimpsest/knowledge/ports';
import { knowledgeBaseId, sha256, sourceId, START, tenantId, vectorScope, type Position } from '@palimpsest/knowledge/values';
import { theDocument } from '@palimpsest/test-kit/histories';
import { aJournal } from '@palimpsest/test-kit';

/** Submits a document through the real decider and codec. Returns the position of the fact. `known`: an earlier version may exist. */
export const submit = async (log: EventLog, tenant: string, name: string, { known }: Readonly<{ known: boolean }>): Promise<Position> => {
  const owner = tenantId(tenant);
  const digest = sha256('0'.repeat(64));
  const submission = {
    knowledgeBase: knowledgeBaseId('handbook'),
    sourceId: sourceId(`${name}.md`),
    blob: blobKey(`documents/${name}`),
    bytes: 10,
    checksum: digest,
    fingerprint: digest,
    labels: {},
    origin: 'UserContent' as const,
  };
  const command = { type: 'Submit' as const, documentId: theDocument(name), submission, force: true, now: '2026-01-01T00:00:00.000Z' };
  const metadata = { tenant: owner, scope: vectorScope('deployment'), actor: 'test', correlationId: 'test' };
  // The in-memory log is slow to read, so the stream of a new document is not read.
  const unseen = { state: document.initial(), revision: 'no-stream' as const, position: START };
  return (await aJournal(log).execute(document, documentStream(owner, theDocument(name)), command, metadata, known ? undefined : unseen))
    .position;
};
