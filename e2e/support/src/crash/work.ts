import { ProblemError, type PalimpsestClient, type Submission } from '@palimpsest/client';
import { eventually } from '@palimpsest/test-kit/eventually';
import type { PlatformUnderTest } from '../platform-under-test.ts';
import type { Promises } from './promises.ts';

/** What a step works with. The client does not retry, because a retry would hide a response. */
export type StepContext = Readonly<{ platform: PlatformUnderTest; client: PalimpsestClient; promises: Promises; patienceMs: number }>;

/**
 * One action of a user, done when its response arrives. It is repeated if no response arrives, so every step is idempotent.
 */
export type Step = Readonly<{ name: string; run: (context: StepContext) => Promise<void> }>;

/** A word that the model refuses to embed: the document fails permanently, and its job becomes a dead letter. */
export const UNSPEAKABLE = 'unspeakable';
const COLOURS = ['red', 'green', 'blue'];

const sentence = (word: string, n: number): string =>
  `The ${word} number ${n} stands near the harbour, where ${word} and engine meet the ${COLOURS[n % 3]} garden. `;
const text = (word: string, n: number, paragraphs = 3): string =>
  Array.from({ length: paragraphs }, (_, i) => `## Part ${i} of ${word}\n\n${sentence(word, n + i).repeat(6)}`).join('\n\n');

const only = (documents: readonly Submission[]): Exclude<Submission, { status: 'rejected' }> => {
  const [first] = documents;
  if (first === undefined || documents.length !== 1 || first.status === 'rejected')
    throw new Error(`expected one accepted document, got ${JSON.stringify(documents)}`);
  return first;
};

/** Ignores errors with these codes: after a repetition, they say that the work was done before. */
const orDone = async (work: Promise<unknown>, ...codes: string[]): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof ProblemError) || !codes.includes(error.code)) throw error;
  });
};

const submit = (
  sourceId: string,
  content: string,
  more: Readonly<{ knowledgeBase?: string; labels?: Record<string, string> }> = {},
): Step => ({
  name: `submit ${sourceId}`,
  run: async ({ client, promises }) => {
    const { documentId, version } = only((await client.documents.submitText({ sourceId, text: content, ...more })).documents);
    promises.document(sourceId, { documentId, version, text: content, ...more });
  },
});

const upload = (name: string, content: string): Step => ({
  name: `upload ${name}`,
  run: async ({ client, promises }) => {
    const { documentId, version } = only((await client.documents.upload([{ name, content: Buffer.from(content) }])).documents);
    promises.document(name, { documentId, version, text: content });
  },
});

const remove = (sourceId: string): Step => ({
  name: `remove ${sourceId}`,
  run: async ({ client, promises }) => {
    await orDone(client.documents.remove(promises.idOf(sourceId)), 'NotFound');
    promises.removed(sourceId);
  },
});

const knowledgeBase = (id: string, scope: string): Step => ({
  name: `create ${id}`,
  run: async ({ client, promises }) => {
    await orDone(client.knowledgeBases.create({ id, scope, name: `Base ${id}` }), 'Conflict', 'AlreadyExists');
    promises.knowledgeBase(id, scope);
  },
});

const archive = (id: string): Step => ({
  name: `archive ${id}`,
  run: async ({ client, promises }) => {
    await client.knowledgeBases.archive(id);
    promises.archived(id);
  },
});

const issueKey = (name: string): Step => ({
  name: `key ${name}`,
  run: async ({ client, promises }) => {
    const { key, keyId } = await client.operations.createApiKey({ name, teams: ['*'], roles: ['reader'] });
    promises.key(name, key, keyId);
  },
});

const revokeKey = (name: string): Step => ({
  name: `revoke ${name}`,
  run: async ({ client, promises }) => {
    await orDone(client.operations.revokeApiKey(promises.keyIdOf(name)), 'NotFound');
    promises.revoked(name);
  },
});

const search = (query: string): Step => ({
  name: `search ${query}`,
  run: async ({ client }) => void (await client.search({ query, topK: 5 })),
});

/** Waits until everything submitted is processed, also in the read models. */
export const settled: Step = {
  name: 'settle',
  run: async ({ client, patienceMs }) => {
    await eventually(
      'everything is processed',
      async () => {
        const { ready, documents, queue, projections } = await client.operations.status();
        return ready && documents.pending + documents.processing + queue.depth === 0 && projections?.every(({ lag }) => lag === 0)
          ? true
          : undefined;
      },
      patienceMs,
    );
  },
};

/** Discards the dead letter of a document. */
const discardLetterOf = (sourceId: string): Step => ({
  name: `discard ${sourceId}`,
  run: async ({ client, promises }) => {
    const documentId = promises.idOf(sourceId);
    for (const { id, key } of await client.operations.deadLetters({ limit: 1000 }))
      if (key.endsWith(documentId)) await orDone(client.operations.discardDeadLetter(id), 'NotFound');
    promises.discarded(sourceId);
  },
});

const rebuild: Step = { name: 'rebuild', run: async ({ client }) => void (await client.operations.rebuild()) };

const scopesWithDocuments = async ({ client }: StepContext): Promise<readonly string[]> =>
  (await client.operations.status()).scopes.map(({ scope }) => scope).filter((scope) => scope !== 'platform');

/** Re-embeds every scope with the configured model, and retires the earlier generations. */
const reembedding: readonly Step[] = [
  {
    name: 'reembed all',
    run: async (context) => {
      for (const scope of await scopesWithDocuments(context)) await context.client.operations.reembed(scope);
    },
  },
  {
    name: 're-embedded',
    run: async (context) => {
      for (const scope of await scopesWithDocuments(context))
        await eventually(
          `${scope} is re-embedded`,
          async () => {
            const { state, done, total } = await context.client.operations.reembedProgress(scope);
            return state === 'idle' && done === total ? true : undefined;
          },
          context.patienceMs,
        );
    },
  },
  // The switch is on the log; which generations are on standby is read from the catalog.
  settled,
  {
    name: 'retire all',
    run: async ({ client }) => {
      const { scopes } = await client.operations.status();
      for (const { scope, generations } of scopes)
        for (const { generation, status } of generations)
          if (status === 'standby') await orDone(client.operations.retireGeneration(scope, generation), 'NotFound', 'Conflict');
    },
  },
];

/** Every type of work once; names contain the number of the round. */
export const round = (n: number): readonly Step[] => {
  const [a, b, c, bad] = ['anchor', 'beacon', 'candle', 'bad'].map((word) => `${word}-${n}.md`) as [string, string, string, string];
  const [base, earlier] = [`base-${n}`, `base-${n - 1}`];
  return [
    submit(a, text('anchor', n)),
    knowledgeBase(base, n % 8 === 0 ? `team:t${n}` : 'deployment'),
    submit(b, text('beacon', n), { knowledgeBase: base, labels: { round: String(n) } }),
    upload(c, text('candle', n, 5)),
    upload(
      `page-${n}.html`,
      `<html><title>Page ${n}</title><body><main><h1>Harbour</h1><p>${sentence('page', n).repeat(4)}</p></main></body></html>`,
    ),
    upload(`table-${n}.csv`, `name,value\nharbour ${n},1\nengine,2\n`),
    issueKey(`key-${n}`),
    submit(bad, `The ${UNSPEAKABLE} of round ${n}.`),
    search('harbour engine'),
    submit(a, text('anchor', n).replaceAll('Part 1', 'Another part')),
    ...(n > 0 ? [remove(`candle-${n - 1}.md`), revokeKey(`key-${n - 1}`), archive(earlier)] : []),
    submit(b, text('beacon', n), { knowledgeBase: base, labels: { round: String(n), changed: 'yes' } }),
    settled,
    ...(n % 2 === 0 ? [discardLetterOf(bad)] : []),
    ...(n % 5 === 4 ? [rebuild] : []),
  ];
};

/** Re-embeds all scopes of earlier rounds with the model that the platform was last started with. */
export const changeOfModel = (): readonly Step[] => [settled, ...reembedding, settled];

/** A little of every type of work, small enough for faults at every single write. */
export const smallRound = (n: number): readonly Step[] => [
  submit(`small-${n}.md`, text('small', n, 1)),
  knowledgeBase(`small-${n}`, 'deployment'),
  upload(`parcel-${n}.md`, text('parcel', n, 2)),
  issueKey(`small-key-${n}`),
  search('harbour engine'),
  settled,
  ...(n > 0 ? [remove(`small-${n - 1}.md`)] : []),
  submit(`parcel-${n}.md`, text('parcel', n, 2), { labels: { n: String(n) } }),
  settled,
];
