import { isDeepStrictEqual } from 'node:util';
import type { DocumentView } from '@palimpsest/client';
import type { PlatformUnderTest } from '../platform-under-test.ts';
import { openedEvents } from './folder-keys.ts';
import { UNSPEAKABLE } from './work.ts';
import type { PromisedDocument, Promises } from './promises.ts';

const QUERIES = ['harbour engine', 'anchor', 'the beacon of the red garden', 'candle number 3', 'nothing of the kind'];
const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;

/** Removes fields that depend on the time. */
const timeless = ({ submittedAt: _submitted, indexedAt: _indexed, detail: _detail, ...view }: DocumentView): unknown => view;

export type VisibleState = Readonly<Record<string, unknown>>;

/** Everything that a user can see, without times: equal for equal histories. */
export const visibleState = async ({ client }: Pick<PlatformUnderTest, 'client'>): Promise<VisibleState> => {
  const documents: unknown[] = [];
  for await (const document of client.documents.listAll()) documents.push(timeless(document));
  const hits: unknown[] = [];
  for (const strategy of STRATEGIES)
    for (const query of QUERIES)
      hits.push(
        (await client.search({ query, strategy, topK: 20 })).hits.map(({ chunkId, source, score, text }) => ({
          chunkId,
          source,
          score,
          text,
        })),
      );
  const { partitions } = await client.operations.verify();
  const { chunks, scopes } = await client.operations.status();
  const bases = (await client.knowledgeBases.list()).map((base) => ({ ...base, createdAt: undefined }));
  return { documents, hits, partitions, chunks, scopes, knowledgeBases: bases };
};

/** The parts that differ from the undisturbed state, each with its first difference. */
export const differing = (found: VisibleState, expected: VisibleState): readonly string[] =>
  Object.entries(expected)
    .filter(([what, value]) => !isDeepStrictEqual(found[what], value))
    .map(([what, value]) => `${what} differ: ${JSON.stringify(firstDifference(found[what], value))}`);

const firstDifference = (found: unknown, expected: unknown): unknown => {
  if (!Array.isArray(found) || !Array.isArray(expected)) return { found, expected };
  if (isDeepStrictEqual(inSomeOrder(found), inSomeOrder(expected))) return 'the same, in another order';
  const at = expected.findIndex((one, i) => !isDeepStrictEqual(one, found[i]));
  return at < 0 ? { extra: found.slice(expected.length, expected.length + 1) } : firstDifference(found[at], expected[at]);
};

const inSomeOrder = (list: readonly unknown[]): readonly string[] => list.map((one) => JSON.stringify(one)).sort();

/** The broken promises, and the problems in the log and the read models. */
export const brokenPromises = async (platform: PlatformUnderTest, promises: Promises): Promise<readonly string[]> => [
  ...documentProblems(await shown(platform), promises),
  ...(await keyProblems(platform, promises)),
  ...(await logProblems(platform.data)),
  ...(await readModelProblems(platform)),
];

/** The documents and knowledge bases, as shown to their owner. */
export type Shown = Readonly<{
  documents: readonly Pick<DocumentView, 'documentId' | 'status' | 'version' | 'indexedVersion' | 'labels'>[];
  knowledgeBases: readonly Readonly<{ id: string; scope: string; status: string }>[];
}>;

const shown = async ({ client }: PlatformUnderTest): Promise<Shown> => {
  const documents: DocumentView[] = [];
  for await (const document of client.documents.listAll()) documents.push(document);
  return { documents, knowledgeBases: await client.knowledgeBases.list() };
};

export const documentProblems = ({ documents, knowledgeBases }: Shown, promises: Promises): readonly string[] => {
  const found = new Map(documents.map((document) => [document.documentId, document]));
  const bases = new Map(knowledgeBases.map((base) => [base.id, base]));
  const lost = [...promises.documents].filter(([, promised]) => !isKept(promised, found.get(promised.documentId)));
  const back = [...promises.gone].filter(([, documentId]) => found.has(documentId));
  const wrongBases = [...promises.knowledgeBases].filter(
    ([id, { scope, archived }]) => bases.get(id)?.scope !== scope || archived !== (bases.get(id)?.status === 'archived'),
  );
  return [
    ...lost.map(
      ([sourceId, { documentId, version }]) =>
        `${sourceId}: version ${version} was acknowledged, found ${JSON.stringify(found.get(documentId))}`,
    ),
    ...back.map(([sourceId]) => `${sourceId} was removed but still exists`),
    ...wrongBases.map(([id, base]) => `knowledge base ${id}: expected ${JSON.stringify(base)}, found ${JSON.stringify(bases.get(id))}`),
  ];
};

const isKept = ({ version, text, labels }: PromisedDocument, view: Shown['documents'][number] | undefined): boolean => {
  if (view?.version !== version) return false;
  if (text.includes(UNSPEAKABLE)) return view.status === 'failed';
  return view.status === 'indexed' && view.indexedVersion === version && isDeepStrictEqual(view.labels, labels ?? {});
};

const keyProblems = async (platform: PlatformUnderTest, promises: Promises): Promise<readonly string[]> => {
  const broken: string[] = [];
  for (const [name, { key, revoked }] of promises.keys) {
    const { status } = await platform.ask('GET /v1/knowledge-bases', { key });
    if (status !== (revoked ? 401 : 200)) broken.push(`${name} was ${revoked ? 'revoked' : 'issued'}, but a request with it got ${status}`);
  }
  for (const { key } of await platform.client.operations.deadLetters({ limit: 1000 }))
    if (promises.discardedLetters.has(key.split('/').at(-1) ?? '')) broken.push(`the dead letter of ${key} was discarded but still exists`);
  return broken;
};

const repeated = (list: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return list.filter((one) => seen.has(one) || !seen.add(one));
};

/** Submissions, indexed versions and chunks that are on the log twice, and positions out of order. */
export const logProblems = async (data: string): Promise<readonly string[]> => {
  const events = await openedEvents(data);
  const of = (type: string, ...fields: string[]): readonly string[] =>
    events
      .filter((event) => event.type === type)
      .map(({ stream, data: held }) => [stream, ...fields.map((field) => JSON.stringify(held[field]))].join(' '));
  const duplicates = [
    ...repeated(of('DocumentSubmitted', 'version')),
    ...repeated(of('DocumentIndexed', 'version')),
    ...repeated(of('KnowledgeChunkIndexed', 'chunkId')),
    ...repeated(of('KnowledgeChunkReembedded', 'chunkId', 'embeddingVersion')),
    // The same content under another version: a submission that was repeated after a lost response was taken for a new one.
    ...repeated(of('DocumentSubmitted', 'checksum', 'labels', 'knowledgeBase')),
  ].map((twice) => `twice on the log: ${twice}`);
  return [
    ...duplicates,
    ...events
      .filter(({ position }, index) => index > 0 && position <= (events[index - 1]?.position ?? 0))
      .map(({ position }) => `position ${position} out of order`),
  ];
};

const readModelProblems = async ({ client }: PlatformUnderTest): Promise<readonly string[]> => {
  const { clean, differences } = await client.operations.verify();
  return clean ? [] : [`verify found ${JSON.stringify(differences.slice(0, 3))}`];
};
