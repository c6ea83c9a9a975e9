import { ProblemError, type DocumentView, type KnowledgeBaseView } from '@palimpsest/client';
import { findDocuments } from './find-documents.ts';

const ID = 'a'.repeat(32);
const document = (sourceId: string, title: string, knowledgeBase = 'handbook', documentId = sourceId) =>
  ({ documentId, sourceId, title, knowledgeBase }) as DocumentView;
const DOCUMENTS = [
  document('travel.md', 'Trains'),
  document('z/holidays.md', 'Days off', 'handbook', ID),
  document('a.md', 'Travel', 'theirs'),
];

/** A server with these documents; the knowledge base `theirs` belongs to another scope. */
const aClient = (documents = DOCUMENTS): Parameters<typeof findDocuments>[0] => {
  const inBase = (base: string | undefined) => documents.filter(({ knowledgeBase }) => knowledgeBase === base);
  return {
    knowledgeBases: {
      list: () =>
        Promise.resolve([
          { id: 'handbook', scope: 'team:red' },
          { id: 'theirs', scope: 'team:blue' },
        ] as unknown as readonly KnowledgeBaseView[]),
    },
    documents: {
      get: (id) => {
        const found = documents.find(({ documentId }) => documentId === id);
        return found ? Promise.resolve(found as never) : Promise.reject(new ProblemError({ status: 404, code: 'NotFound' }));
      },
      list: ({ knowledgeBase, source = '' } = {}) =>
        Promise.resolve({ documents: inBase(knowledgeBase).filter(({ sourceId }) => sourceId.startsWith(source)) }),
      async *listAll({ knowledgeBase } = {}) {
        yield* await Promise.resolve(inBase(knowledgeBase));
      },
    },
  };
};
const found = async (text: string, client = aClient()) => {
  const { documents, isComplete } = await findDocuments(client, 'team:red', text);
  return [documents.map(({ source }) => source), isComplete];
};

it.each([
  ['trav', ['travel.md']],
  ['TRAIN', ['travel.md']],
  ['holidays', ['z/holidays.md']],
  [ID, ['z/holidays.md']],
  ['b'.repeat(32), []],
  ['nothing', []],
])('finds for %s %j of the scope', async (text, sources) => expect(await found(text)).toEqual([sources, true]));

it('finds no document of another scope by its id', async () =>
  expect(await found(ID, aClient([document('a.md', 'A', 'theirs', ID)]))).toEqual([[], true]));

it('stops after ten, and says so', async () => {
  const many = Array.from({ length: 30 }, (_, index) => document(`x/${index}.md`, 'Guide'));
  const { documents, isComplete } = await findDocuments(aClient(many), 'team:red', 'guide');
  expect([documents.length, isComplete]).toEqual([10, false]);
});
