import {
  aChunkId,
  aFingerprint,
  aResult,
  aSubmission,
  chunk,
  deleted,
  failed,
  ID,
  indexed,
  LARGE,
  MINI,
  NOW,
  reembedded,
  skipped,
  started,
  submitted,
} from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { DocumentIndexed, Submission } from '../events/document-events.ts';
import { chunkListId, DEFAULT_CHUNK_LIST } from '../values/recipe.ts';
import { document, type DocumentCommand, type IndexingResult } from './document.ts';

const { given } = specify(document);

type Submit = Extract<DocumentCommand, { type: 'Submit' }>;
const submit = (
  of: string,
  options: Pick<Partial<Submit>, 'force' | 'onlyIfVersion'> = {},
  changed: Partial<Submission> = {},
): DocumentCommand => ({
  type: 'Submit',
  documentId: ID,
  submission: aSubmission(of, changed),
  now: NOW,
  ...options,
});
const start = (version: number): DocumentCommand => ({ type: 'StartProcessing', documentId: ID, version, now: NOW });
const complete = (version: number, letters: string, part: Partial<IndexingResult> = {}): DocumentCommand => ({
  type: 'CompleteIndexing',
  documentId: ID,
  version,
  result: aResult(letters, part),
  now: NOW,
});
const fail = (version: number): DocumentCommand => ({
  type: 'Fail',
  documentId: ID,
  version,
  reason: 'corrupt',
  detail: 'It cannot be read.',
  now: NOW,
});
const remove = (onlyIfVersion?: number): DocumentCommand => ({
  type: 'Delete',
  documentId: ID,
  now: NOW,
  ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }),
});
const record = (version: number, ...chunks: Extract<DocumentCommand, { type: 'RecordChunks' }>['chunks']): DocumentCommand => ({
  type: 'RecordChunks',
  documentId: ID,
  version,
  chunkList: DEFAULT_CHUNK_LIST,
  chunks,
});

/** Content A with two chunks, indexed as version 1. */
const A = [submitted('A'), started(), chunk('a'), chunk('b'), indexed('A', 1, { chunks: 'ab', written: 'ab' })];

describe('submitting a document', () => {
  it('creates version 1 of a new document', () => void given().when(submit('A')).then(submitted('A')));
  it('creates the next version for changed content', () =>
    void given(...A)
      .when(submit('B'))
      .then(submitted('B', 2)));
  it('skips content that is already indexed', () =>
    void given(...A)
      .when(submit('A'))
      .then(skipped('A', 1)));
  it('processes unchanged content again with `force`', () =>
    void given(...A)
      .when(submit('A', { force: true }))
      .then(submitted('A', 2)));
  it('does nothing while the same content is in progress, and records no skip', () => {
    given(submitted('A')).when(submit('A')).then();
    given(submitted('A'), started()).when(submit('A')).then();
  });
  it('supersedes content in progress with other content, and with the indexed content', () => {
    given(submitted('A')).when(submit('B')).then(submitted('B', 2));
    given(...A, submitted('B', 2))
      .when(submit('A'))
      .then(submitted('A', 3));
  });
  it('skips content that could not be parsed before, unless forced or changed', () => {
    const unreadable = [submitted('A'), failed(1, 'password')] as const;
    given(...unreadable)
      .when(submit('A'))
      .then(skipped('A', 1));
    given(...unreadable)
      .when(submit('A', { force: true }))
      .then(submitted('A', 2));
    given(...unreadable)
      .when(submit('B'))
      .then(submitted('B', 2));
  });
  it('retries after a temporary failure', () => {
    for (const reason of ['gave-up', 'time-out', 'not-processable', 'embedding-failed'])
      given(submitted('A'), failed(1, reason)).when(submit('A')).then(submitted('A', 2));
    given(...A, submitted('B', 2), failed(2))
      .when(submit('A'))
      .then(submitted('A', 3));
  });
  it('accepts a deleted document again, with the next version', () =>
    void given(...A, deleted(1, 'ab'))
      .when(submit('A'))
      .then(submitted('A', 2)));
  it('refuses if another request changed the document', () => {
    given(...A)
      .when(submit('B', { onlyIfVersion: 1 }))
      .then(submitted('B', 2));
    given(...A)
      .when(submit('B', { onlyIfVersion: 2 }))
      .thenRefuses(Conflict, /at version 1, not 2/);
    given(...A)
      .when(submit('B', { onlyIfVersion: 0 }))
      .thenRefuses(Conflict);
    given()
      .when(submit('A', { onlyIfVersion: 0 }))
      .then(submitted('A'));
  });
});

describe('processing a document', () => {
  it('starts again after a processing failure, but not if the file cannot be parsed', () => {
    for (const reason of ['gave-up', 'not-processable']) given(submitted('A'), started(), failed(1, reason)).when(start(1)).then(started());
    for (const reason of ['password', 'corrupt']) given(submitted('A'), started(), failed(1, reason)).when(start(1)).then();
    given(submitted('A'), started(), failed(1, 'gave-up'), submitted('B', 2)).when(start(1)).then();
  });

  it('starts a pending version once', () => void given(submitted('A')).when(start(1)).then(started()).when(start(1)).then());
  it('does not start a superseded or unknown version', () => {
    given(submitted('A'), submitted('B', 2)).when(start(1)).then();
    given().when(start(1)).then();
  });
  it('records chunks only for the version in progress', () => {
    given(submitted('A'), started())
      .when(record(1, chunk('a'), chunk('b')))
      .then(chunk('a'), chunk('b'));
    given(submitted('A'), started(), submitted('B', 2))
      .when(record(1, chunk('a')))
      .then();
    given(...A)
      .when(record(1, chunk('c')))
      .then();
    given(...A, deleted(1, 'ab'))
      .when(record(1, chunk('a')))
      .then();
  });
  it('leaves out chunks that another worker recorded in the meantime', () => {
    given(submitted('A'), started(), chunk('a'))
      .when(record(1, chunk('a'), chunk('b'), reembedded('a')))
      .then(chunk('b'), reembedded('a'));
  });
  it('records a chunk that could not be embedded', () => {
    const failure = { documentId: ID, version: 1, chunkId: aChunkId('a'), index: 0, embeddingVersion: MINI, reason: 'too strange' };
    given(submitted('A'), started())
      .when({ type: 'RecordChunkFailure', chunkList: DEFAULT_CHUNK_LIST, ...failure })
      .then({ type: 'KnowledgeChunkFailed', data: failure });
    given(submitted('A'), submitted('B', 2))
      .when({ type: 'RecordChunkFailure', chunkList: DEFAULT_CHUNK_LIST, ...failure })
      .then();
  });
  it('fails only the version in progress, and keeps the indexed version', () => {
    given(submitted('A'), started()).when(fail(1)).then(failed(1, 'corrupt'));
    given(submitted('A'), submitted('B', 2)).when(fail(1)).then();
    given(...A, submitted('B', 2))
      .when(fail(2))
      .thenState(({ status, current }) => expect([status, current?.version]).toEqual(['failed', 1]));
  });
});

describe('completing a document', () => {
  it('writes all chunks of the first version', () =>
    void given(submitted('A'), started(), chunk('a'), chunk('b'))
      .when(complete(1, 'ab'))
      .then(indexed('A', 1, { chunks: 'ab', written: 'ab' })));
  it('writes new chunks and removes old ones', () =>
    void given(...A, submitted('B', 2), started(2), chunk('c', 2))
      .when(complete(2, 'cb'))
      .then(indexed('B', 2, { chunks: 'cb', written: 'c', removed: 'a' })));
  it('returns from B to A with the chunks that are on the log', () =>
    void given(...A, submitted('B', 2), chunk('c', 2), indexed('B', 2, { chunks: 'c', written: 'c', removed: 'ab' }), submitted('A', 3))
      .when(complete(3, 'ab'))
      .then(indexed('A', 3, { chunks: 'ab', written: 'ab', removed: 'c' })));
  it('writes all chunks after a deletion', () =>
    void given(...A, deleted(1, 'ab'), submitted('A', 2))
      .when(complete(2, 'ab'))
      .then(indexed('A', 2, { chunks: 'ab', written: 'ab' })));

  it.each<[string, Partial<Submission>, Partial<IndexingResult>]>([
    ['a label', { labels: { team: 'red' } }, {}],
    ['the origin', { origin: 'Note' }, {}],
    ['the title', {}, { title: 'Other' }],
    ['the language', {}, { language: 'de' }],
    ['the media type', {}, { mediaType: 'text/html' }],
    ['a property', {}, { metadata: { author: 'Ann' } }],
  ])('writes all chunks again if %s changed, since every chunk contains it', (_, changed, result) => {
    given(...A, submitted('B', 2, changed))
      .when(complete(2, 'ab', result))
      .then(indexed('B', 2, { chunks: 'ab', written: 'ab' }, result, changed));
  });
  it('writes nothing if only the order of properties changed', () => {
    const [one, two] = [{ metadata: { a: '1', b: '2' } }, { metadata: { b: '2', a: '1' } }];
    given(...A.slice(0, 4), indexed('A', 1, { chunks: 'ab', written: 'ab' }, one), submitted('B', 2))
      .when(complete(2, 'ab', two))
      .then(indexed('B', 2, { chunks: 'ab', written: '' }, two));
  });

  it('refuses a chunk that is not on the log', () =>
    given(submitted('A'), chunk('a'))
      .when(complete(1, 'ab'))
      .thenRefuses(Conflict, /is not on the log/));
  it('does nothing for a superseded, completed or deleted version', () => {
    given(submitted('A'), chunk('a'), submitted('B', 2)).when(complete(1, 'a')).then();
    given(...A)
      .when(complete(1, 'ab'))
      .then();
    given(...A, deleted(1, 'ab'))
      .when(complete(1, 'ab'))
      .then();
  });
});

describe('importing a version', () => {
  const contents = (version: number, ...chunks: Extract<DocumentCommand, { type: 'RecordContents' }>['chunks']): DocumentCommand => ({
    type: 'RecordContents',
    documentId: ID,
    version,
    chunks,
  });
  const importing = (of: string, version: number, letters: string): DocumentCommand => ({
    type: 'Import',
    documentId: ID,
    version,
    submission: aSubmission(of),
    result: aResult(letters),
    now: NOW,
  });

  it('records contents before the submission, once, and they are not visible', () => {
    given()
      .when(contents(1, chunk('a'), chunk('b')))
      .then(chunk('a'), chunk('b'))
      .when(contents(1, chunk('b'), chunk('c')))
      .then(chunk('c'));
    given(chunk('a')).when(start(1)).then();
    given(chunk('a')).when(remove()).thenRefuses(NotFound);
  });
  it('submits and commits in one step', () => {
    given(chunk('a'), chunk('b'))
      .when(importing('A', 1, 'ab'))
      .then(submitted('A'), indexed('A', 1, { chunks: 'ab', written: 'ab' }))
      .when(start(1))
      .then();
  });
  it('creates the next version of an existing document, and writes only new chunks', () => {
    given(...A, chunk('c', 2))
      .when(importing('B', 2, 'bc'))
      .then(submitted('B', 2), indexed('B', 2, { chunks: 'bc', written: 'c', removed: 'a' }));
    given(...A, deleted(1, 'ab'))
      .when(importing('A', 2, 'ab'))
      .then(submitted('A', 2), indexed('A', 2, { chunks: 'ab', written: 'ab' }));
  });
  it('supersedes a version in progress', () => {
    given(submitted('B'), chunk('a', 2))
      .when(importing('A', 2, 'a'))
      .then(submitted('A', 2), indexed('A', 2, { chunks: 'a', written: 'a' }))
      .when(complete(1, 'a'))
      .then();
  });
  it('refuses missing contents, and a document that was changed in the meantime', () => {
    given(chunk('a'))
      .when(importing('A', 1, 'ab'))
      .thenRefuses(Conflict, /is not on the log/);
    given(...A)
      .when(contents(1, chunk('c')))
      .thenRefuses(Conflict, /at version 1, not 0/);
    given(...A)
      .when(importing('B', 1, 'ab'))
      .thenRefuses(Conflict);
  });
  it('is skipped when the same content is submitted afterwards', () => {
    given(chunk('a'))
      .when(importing('A', 1, 'a'))
      .then(submitted('A'), indexed('A', 1, { chunks: 'a', written: 'a' }))
      .when(submit('A'))
      .then(skipped('A', 1));
  });
});

describe('re-embedding a document', () => {
  const more = (...events: Extract<DocumentCommand, { type: 'RecordReembedding' }>['events']): DocumentCommand => ({
    type: 'RecordReembedding',
    documentId: ID,
    events,
  });

  it('records missing vectors of recorded chunks, once', () => {
    given(...A)
      .when(more(reembedded('a'), reembedded('z'), reembedded('b', MINI)))
      .then(reembedded('a'))
      .when(more(reembedded('a'), reembedded('b')))
      .then(reembedded('b'));
  });
  it('knows where the text and the vectors of each chunk are', () => {
    given(...A)
      .when(more(reembedded('a')))
      .thenState(({ recorded }) => {
        expect(recorded.get(aChunkId('a'))).toEqual({
          textAt: 2,
          vectors: new Map([
            [MINI, 2],
            [LARGE, 5],
          ]),
        });
        expect(recorded.get(aChunkId('b'))).toEqual({ textAt: 3, vectors: new Map([[MINI, 3]]) });
      });
  });
});

describe('deleting a document', () => {
  it('lists the chunks to remove', () =>
    void given(...A)
      .when(remove())
      .then(deleted(1, 'ab'))
      .when(remove())
      .then());
  it('works before anything is indexed, and while the next version is in progress', () => {
    given(submitted('A')).when(remove()).then(deleted(1, ''));
    given(...A, submitted('B', 2), chunk('c', 2))
      .when(remove())
      .then(deleted(2, 'ab'));
  });
  it('refuses an unknown document, and one that another request changed', () => {
    given()
      .when(remove())
      .thenRefuses(NotFound, /document .* not found/);
    given(...A)
      .when(remove(2))
      .thenRefuses(Conflict);
    given(...A)
      .when(remove(1))
      .then(deleted(1, 'ab'));
  });
});

describe('two chunkings of one document', () => {
  const OTHER = chunkListId('settings:markdown.maxchars=500');
  const second = { chunkList: OTHER };
  const both = [...A, chunk('c'), indexed('A', 1, { chunks: 'ac', written: 'ac' }, second)];
  const ofEarlier = ({ type, data }: DocumentIndexed, latestVersion: number): DocumentIndexed => ({
    type,
    data: { ...data, latestVersion },
  });

  it('exist side by side, each with its own commit point for the same version', () => {
    given(...A, chunk('c'))
      .when(complete(1, 'ac', second))
      .then(indexed('A', 1, { chunks: 'ac', written: 'ac' }, second));
    given(...both)
      .when(complete(1, 'ac', second))
      .then();
    given(...both)
      .when(complete(1, 'ab'))
      .then();
  });
  it('accept chunks until their own list is complete', () => {
    const more = (list: typeof OTHER): DocumentCommand => ({
      type: 'RecordChunks',
      documentId: ID,
      version: 1,
      chunkList: list,
      chunks: [chunk('d')],
    });
    given(...A)
      .when(more(DEFAULT_CHUNK_LIST))
      .then();
    given(...A)
      .when(more(OTHER))
      .then(chunk('d'));
    given(...both)
      .when(more(OTHER))
      .then();
  });
  it('change independently: the next version of one removes only its own chunks', () => {
    const next = [...both, submitted('B', 2), started(2), chunk('e', 2)];
    given(...next)
      .when(complete(2, 'ae'))
      .then(indexed('B', 2, { chunks: 'ae', written: 'e', removed: 'b' }));
    given(...next, indexed('B', 2, { chunks: 'ae', written: 'e', removed: 'b' }))
      .when(complete(2, 'e', second))
      .then(indexed('B', 2, { chunks: 'e', written: 'e', removed: 'ac' }, second));
  });
  it('take effect together if both are completed at once', () =>
    void given(submitted('A'), started(), chunk('a'), chunk('b'), chunk('c'))
      .when({ ...complete(1, 'ab'), others: [aResult('ac', { ...second, whole: true })] } as DocumentCommand)
      .then(indexed('A', 1, { chunks: 'ab', written: 'ab' }), indexed('A', 1, { chunks: 'ac', written: 'ac' }, second)));
  it('are made for the version that searches see, while a later one is in progress or has failed', () => {
    const labelled = { labels: { team: 'red' } };
    for (const later of [
      [submitted('B', 2, labelled)],
      [submitted('B', 2, labelled), started(2)],
      [submitted('B', 2, labelled), failed(2)],
    ])
      given(...A, ...later, chunk('c'))
        .when(complete(1, 'ac', second))
        .then(ofEarlier(indexed('A', 1, { chunks: 'ac', written: 'ac' }, second), 2))
        .when(complete(1, 'ac', second))
        .thenState(({ status, version, current, lists }) => {
          expect([version, current?.indexed.chunkList, lists.get(OTHER)?.version]).toEqual([2, DEFAULT_CHUNK_LIST, 1]);
          expect(status).not.toBe('indexed');
        });
  });
  it('are not made for a version that no list has, or of a deleted document', () => {
    given(...A, submitted('B', 2), failed(2), chunk('c', 2))
      .when(complete(2, 'c', second))
      .then();
    given(...both, deleted(1, 'abc'))
      .when(complete(1, 'ac', { ...second, whole: true }))
      .then();
  });
  it('are written completely again for read models that lack them, but not over a later version', () => {
    const again = { ...second, whole: true as const };
    given(...both)
      .when(complete(1, 'ac', again))
      .then(indexed('A', 1, { chunks: 'ac', written: 'ac' }, second));
    given(...both, chunk('d'))
      .when({ type: 'RecordChunks', documentId: ID, version: 1, chunkList: OTHER, whole: true, chunks: [chunk('e')] })
      .then(chunk('e'));
    const later = [submitted('B', 2), started(2), chunk('d', 2), indexed('B', 2, { chunks: 'ad', written: 'ad' }, second)];
    given(...both, ...later)
      .when(complete(1, 'ac', again))
      .then();
  });
  it('say why a list has the chunks of another one', () =>
    void given(...A)
      .when(complete(1, 'ab', { ...second, notRechunked: 'The upload is lost.' }))
      .then(indexed('A', 1, { chunks: 'ab', written: 'ab' }, { ...second, notRechunked: 'The upload is lost.' })));
  it('are deleted together', () =>
    void given(...both)
      .when(remove())
      .then(deleted(1, 'abc')));
});

describe('a document of a version before 0.2', () => {
  it('is recognised as unchanged by the fingerprint of that time', () => {
    const resubmitted: DocumentCommand = {
      type: 'Submit',
      documentId: ID,
      submission: aSubmission('keyed A'),
      earlierFingerprint: aFingerprint('A'),
      now: NOW,
    };
    given(...A)
      .when(resubmitted)
      .then(skipped('keyed A', 1));
    given(submitted('A')).when(resubmitted).then();
  });
});
