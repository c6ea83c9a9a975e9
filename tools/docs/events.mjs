/** docs/reference/events.md, from the domain's event types (fields, comments), the codec (versions) and the stream names. */
import { GENERATED, code, page as pageOf, table } from './markdown.mjs';
import { declaredTypes, membersOf } from './declared-types.mjs';
import { inRoot } from '../setup/workspace.mjs';

/** The unions of event types, and the stream on which each lies, in words. */
const GROUPS = [
  ['DocumentEvent', 'Documents', (streams, ids) => streams.documentStream(ids.tenant, ids.document), 'one stream per document'],
  ['KnowledgeBaseEvent', 'Knowledge bases', (streams, ids) => streams.knowledgeBaseStream(ids.tenant, ids.knowledgeBase), 'one per knowledge base'],
  ['ScopeEvent', 'Scopes and generations', (streams, ids) => streams.scopeStream({ tenant: ids.tenant, scope: ids.scope }), 'one per scope'],
  ['TenantEvent', 'API keys and limits', (streams, ids) => streams.tenantStream(ids.tenant), 'one per tenant'],
  ['RetrievalEvent', 'Retrievals', (streams, ids) => streams.retrievalStream(ids.tenant), 'one per tenant; entries go after `PALIMPSEST_TRACE_DAYS` days'],
  ['AuditEvent', 'Audit trail', (streams, ids) => streams.auditStream(ids.tenant), 'one per tenant, and one for attempts without a key; entries go after `PALIMPSEST_AUDIT_DAYS` days; read by `GET /v1/audit`'],
];

const TYPES = ['libs/knowledge/src/events/*.ts', 'libs/knowledge/src/values/*.ts', 'libs/knowledge/src/access/access.ts', 'libs/knowledge/src/ports/blob-store.ts'];

/** For what needs no comment where it is declared. */
const MEANINGS = {
  documentId: 'which document',
  version: 'the document’s version, from 1',
  chunkId: 'which chunk',
  of: 'how many chunks the document had',
  start: 'first UTF-16 unit in the extracted text',
  end: 'the unit behind the last one',
  fromLine: 'first line, from 1',
  toLine: 'last line, from 1',
  page: 'page, from 1, where the format has pages',
  blob: 'where the sealed bytes lie in the blob store',
  bytes: 'how many, as handed in',
  checksum: 'of the bytes, as handed in',
  fileName: 'as uploaded; helps to tell the format',
  language: 'like `en`; `und` when it could not be detected. Of a knowledge base: declared for such texts; of a retrieval: named for the query',
  metadata: 'what the file said about itself: author, date, front matter',
  reason: 'a stable code',
  detail: 'a sentence',
  tier: 'a name of the settings; without it the usual one',
  overrides: 'limits in the place of the tier’s; `null` lifts one',
  hash: 'SHA-256 of the key; the key itself is nowhere',
  method: 'of HTTP',
  user: 'whom the key belongs to',
  teams: 'of the key',
  floor: 'least relevance that counts as a hit',
};

const plain = (type) => type.replaceAll('readonly ', '').replaceAll(/Readonly<(\{.*?\})>/g, '$1');

const fieldsTable = (node, types) =>
  table(
    ['field', 'type', 'meaning'],
    membersOf(node, types).map(({ name, type, optional, comment }) => [code(name), `${code(plain(type))}${optional ? ', may be missing' : ''}`, comment || (MEANINGS[name] ?? '')]),
  );

/** `Event<'Name', Data>`: the node of Data. */
const dataOf = ({ node }) => node.type.typeArguments[1];

const namesIn = ({ text }) => [...text.matchAll(/\b([A-Z]\w+)\b/g)].map(([, name]) => name).slice(1);

export const page = async () => {
  const types = declaredTypes(...TYPES);
  const { domainCodec } = await import(inRoot('libs/contracts/src/index.ts'));
  const knowledge = await import(inRoot('libs/knowledge/src/index.ts'));
  const ids = {
    tenant: knowledge.DEFAULT_TENANT,
    scope: knowledge.vectorScope('team:red'),
    knowledgeBase: knowledge.knowledgeBaseId('handbook'),
    document: knowledge.documentId('0123456789abcdef0123456789abcdef'),
  };
  const told = new Set();
  const sections = GROUPS.map(([union, title, streamOf, howMany]) => {
    const events = namesIn(types.get(union)).map((name) => types.get(name));
    for (const { name } of events) told.add(name);
    return pageOf(
      `## ${title}`,
      `Stream: ${howMany}, for example ${code(streamOf(knowledge, ids))}.`,
      ...events.map((event) => pageOf(`### ${event.name}`, `Version ${domainCodec.version(event.name)}. ${event.comment}`.trim(), fieldsTable(dataOf(event), types))),
    );
  });
  const untold = domainCodec.types().filter((type) => !told.has(type));
  if (untold.length > 0) throw new Error(`events without a place in this page: ${untold.join(', ')}`);
  const values = ['DocumentId', 'ChunkId', 'KnowledgeBaseId', 'SourceId', 'Sha256', 'VectorScope', 'EmbeddingVersion', 'ChunkingVersion', 'GenerationId', 'Labels', 'BlobKey', 'Role'];
  return pageOf(
    '# Events',
    GENERATED,
    `What lies on the log: ${told.size} types of events. An event is JSON; its \`data\` has the fields below, its metadata those of [the last table](#metadata). Times are ISO 8601 in UTC. Versions count from 1; what was written in an older version is brought up to the current one when it is read.`,
    'An example of each type and version lies in `libs/contracts/golden`. Texts and vectors are sealed (AES-256-GCM, base64) under the key of their scope. Everything else is readable on the log: names of sources, titles, labels, offsets.',
    ...sections,
    '## Sealed text',
    types.get('ChunkText').comment,
    fieldsTable(types.get('ChunkText').node.type, types),
    '## Metadata',
    'Beside every event, with `schemaVersion`, the version of its data.',
    fieldsTable(types.get('EventMetadata').node.type, types),
    '## Values',
    table(['type', 'meaning'], values.map((name) => [code(name), types.get(name)?.comment ?? ''])),
  );
};
