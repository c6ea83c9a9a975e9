/** docs/reference/events.md, from the domain's event types (fields, comments), the codec (versions) and the stream names. */
import { GENERATED, code, page as pageOf, table } from './markdown.mjs';
import { declaredTypes, membersOf } from './declared-types.mjs';
import { inRoot } from '../setup/workspace.mjs';

/** The unions of event types, and a description of their streams. */
const GROUPS = [
  ['DocumentEvent', 'Documents', (streams, ids) => streams.documentStream(ids.tenant, ids.document), 'one stream per document'],
  [
    'KnowledgeBaseEvent',
    'Knowledge bases',
    (streams, ids) => streams.knowledgeBaseStream(ids.tenant, ids.knowledgeBase),
    'one per knowledge base',
  ],
  [
    'ScopeEvent',
    'Scopes and generations',
    (streams, ids) => streams.scopeStream({ tenant: ids.tenant, scope: ids.scope }),
    'one per scope',
  ],
  [
    'GoldenEvent',
    'Golden queries',
    (streams, ids) => streams.goldenSetsStream({ tenant: ids.tenant, scope: ids.scope }),
    'one per scope; the queries of each version are in a stream of their own, `…-<content>`',
  ],
  ['FleetEvent', 'Fleets', (streams, ids) => streams.fleetStream(ids.fleet), 'one per fleet; read with `GET /v1/fleets`'],
  [
    'HistoryEvent',
    'Removals of history',
    (streams, ids) => streams.historyStream({ tenant: ids.tenant, scope: ids.scope }),
    'one per scope',
  ],
  ['TenantEvent', 'API keys and limits', (streams, ids) => streams.tenantStream(ids.tenant), 'one per tenant'],
  [
    'SubjectEvent',
    'Erasures of data subjects',
    (streams, ids) => streams.subjectStream({ tenant: ids.tenant, subject: ids.subject }),
    'one per data subject, named by the number of their key',
  ],
  [
    'RetrievalEvent',
    'Retrievals',
    (streams, ids) => streams.retrievalStream(ids.tenant),
    'one per tenant; entries are deleted after `PALIMPSEST_RETRIEVAL_RECORD_DAYS` days',
  ],
  [
    'ReadModelEvent',
    'Repairs of read models',
    (streams) => streams.readModelsStream(),
    'one for the installation; read with `GET /v1/admin/verify`',
  ],
  ['ModelEvent', 'Models', (streams) => streams.modelsStream(), 'one for the installation; read with `GET /v1/models`'],
  [
    'AuditEvent',
    'Audit trail',
    (streams, ids) => streams.auditStream(ids.tenant),
    'one per tenant, and one for attempts without a key; entries are deleted after `PALIMPSEST_AUDIT_DAYS` days; read with `GET /v1/audit`',
  ],
  [
    'CheckpointEvent',
    'Checkpoints',
    (streams) => streams.checkpointStream(),
    'one for the installation; checked with `palimpsest verify --log`',
  ],
];

const TYPES = [
  'libs/knowledge/src/events/*.ts',
  'libs/knowledge/src/values/*.ts',
  'libs/knowledge/src/access/access.ts',
  'libs/knowledge/src/ports/blob-store.ts',
];

/** For fields without a comment at their declaration. */
const MEANINGS = {
  documentId: 'id of the document',
  version: 'the document’s version, from 1',
  chunkId: 'id of the chunk',
  of: 'number of chunks of the document',
  start: 'first UTF-16 unit in the extracted text',
  end: 'end (exclusive) in UTF-16 units',
  fromLine: 'first line, from 1',
  toLine: 'last line, from 1',
  page: 'page, from 1, if the format has pages',
  blob: 'key of the sealed bytes in the blob store',
  bytes: 'size of the uploaded file',
  checksum: 'keyed digest of the uploaded bytes',
  title: 'title of the document',
  labels: 'labels of the document',
  sourceId: 'the source as the user names it',
  symbol: 'for source code: the symbol that the chunk defines',
  warnings: 'messages about content that was lost or truncated',
  fileName: 'as uploaded; helps to detect the format',
  language:
    'for example `en`; `und` if it was not detected. Of a knowledge base: declared for its texts; of a retrieval: declared for the query',
  metadata: 'metadata of the file: author, date, front matter',
  reason: 'a stable error code',
  detail: 'a sentence',
  tier: 'name of the tier in the settings; without it, the default tier',
  overrides: 'limits that replace those of the tier; `null` removes a limit',
  hash: 'SHA-256 of the key; the key itself is not stored',
  method: 'HTTP method',
  user: 'owner of the key',
  teams: 'teams of the key',
  floor: 'minimum relevance of a result',
  fleet: 'id of the fleet',
  wave: 'number of the wave, from 0',
};

const plain = (type) => type.replaceAll('readonly ', '').replaceAll(/Readonly<(\{.*?\})>/g, '$1');

const fieldsTable = (node, types, sealed = []) =>
  table(
    ['field', 'type', 'meaning'],
    membersOf(node, types).map(({ name, type, optional, comment }) => [
      code(name),
      `${code(plain(type))}${optional ? ', optional' : ''}`,
      `${sealed.includes(name) ? '**sealed** ' : ''}${comment || (MEANINGS[name] ?? '')}`.trim(),
    ]),
  );

/** `Event<'Name', Data>`: the node of Data. */
const dataOf = ({ node }) => node.type.typeArguments[1];

const namesIn = ({ text }) => [...text.matchAll(/\b([A-Z]\w+)\b/g)].map(([, name]) => name).slice(1);

export const page = async () => {
  const types = declaredTypes(...TYPES);
  const { domainCodec } = await import(inRoot('libs/contracts/src/index.ts'));
  const knowledge = {
    ...(await import(inRoot('libs/knowledge/src/exports/values.ts'))),
    ...(await import(inRoot('libs/knowledge/src/exports/deciders.ts'))),
    ...(await import(inRoot('libs/knowledge/src/exports/golden.ts'))),
    ...(await import(inRoot('libs/knowledge/src/exports/fleet.ts'))),
    ...(await import(inRoot('libs/knowledge/src/exports/proofs.ts'))),
    ...(await import(inRoot('libs/knowledge/src/exports/repairs.ts'))),
    ...(await import(inRoot('libs/knowledge/src/exports/erasure.ts'))),
    ...(await import(inRoot('libs/knowledge/src/exports/subjects.ts'))),
    ...(await import(inRoot('libs/knowledge/src/exports/history.ts'))),
  };
  const ids = {
    tenant: knowledge.DEFAULT_TENANT,
    scope: knowledge.vectorScope('team:red'),
    knowledgeBase: knowledge.knowledgeBaseId('handbook'),
    document: knowledge.documentId('0123456789abcdef0123456789abcdef'),
    fleet: knowledge.fleetId('4f1c09ab77de'),
    subject: knowledge.subjectKey('5b0f8e2c4a7d49139c6e1f20a8b3d457'),
  };
  const documented = new Set();
  const sections = GROUPS.map(([union, title, streamOf, howMany]) => {
    const events = namesIn(types.get(union)).map((name) => types.get(name));
    for (const { name } of events) documented.add(name);
    return pageOf(
      `## ${title}`,
      `Stream: ${howMany}, for example ${code(streamOf(knowledge, ids))}.`,
      ...events.map((event) =>
        pageOf(
          `### ${event.name}`,
          `Version ${domainCodec.version(event.name)}. ${event.comment}`.trim(),
          fieldsTable(dataOf(event), types, domainCodec.sealedFields(event.name)),
        ),
      ),
    );
  });
  const missing = domainCodec.types().filter((type) => !documented.has(type));
  if (missing.length > 0) throw new Error(`tools/docs/events.mjs lists no group for these events: ${missing.join(', ')}`);
  const values = [
    'DocumentId',
    'ChunkId',
    'KnowledgeBaseId',
    'SourceId',
    'Digest',
    'ChunkListId',
    'DocumentIds',
    'Recipe',
    'EmbeddingRecipe',
    'ChunkingRecipe',
    'VectorScope',
    'EmbeddingVersion',
    'ChunkingVersion',
    'GenerationId',
    'Labels',
    'GoldenSetName',
    'BlobKey',
    'Role',
  ];
  return pageOf(
    '# Events',
    GENERATED,
    `The log contains ${documented.size} types of events. An event is JSON: its \`data\` has the fields below, and its metadata has the fields of [the Metadata table](#metadata). Times are ISO 8601 in UTC. Versions start at 1. Events of an older version are upgraded to the current version when they are read.`,
    '`libs/contracts/golden` contains an example of each type and version. Texts and vectors are sealed (AES-256-GCM, Base64) with the key of their scope. Fields marked **sealed** are not stored by their names: together they are one field `sealed`, a sealed JSON object. Digests are keyed: without the key of the scope, no one can confirm a guess.',
    ...sections,
    '## Sealed text',
    types.get('ChunkText').comment,
    fieldsTable(types.get('ChunkText').node.type, types),
    '## Sealed request',
    types.get('SealedRequest').comment,
    fieldsTable(types.get('SealedRequest').node.type, types),
    '## Judged query',
    types.get('JudgedQuery').comment,
    fieldsTable(types.get('JudgedQuery').node.type, types),
    types.get('Judgement').comment,
    fieldsTable(types.get('Judgement').node.type, types),
    '## Metadata',
    'Stored with every event, together with `schemaVersion`, the version of its data.',
    fieldsTable(types.get('EventMetadata').node.type, types),
    '## Values',
    table(
      ['type', 'meaning'],
      values.map((name) => [code(name), types.get(name)?.comment ?? '']),
    ),
  );
};
