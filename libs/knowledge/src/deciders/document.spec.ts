import { aChunkId, aResult, aSubmission, chunk, deleted, failed, ID, indexed, LARGE, MINI, NOW, reembedded, skipped, started, submitted } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { Submission } from '../events/document-events.ts';
import { document, type DocumentCommand, type IndexingResult } from './document.ts';

const { given } = specify(document);

type Submit = Extract<DocumentCommand, { type: 'Submit' }>;
const submit = (of: string, options: Pick<Partial<Submit>, 'force' | 'onlyIfVersion'> = {}, said: Partial<Submission> = {}): DocumentCommand => ({
  type: 'Submit', documentId: ID, submission: aSubmission(of, said), now: NOW, ...options,
});
const start = (version: number): DocumentCommand => ({ type: 'StartProcessing', documentId: ID, version, now: NOW });
const complete = (version: number, letters: string, part: Partial<IndexingResult> = {}): DocumentCommand => ({ type: 'CompleteIndexing', documentId: ID, version, result: aResult(letters, part), now: NOW });
const fail = (version: number): DocumentCommand => ({ type: 'Fail', documentId: ID, version, reason: 'corrupt', detail: 'It cannot be read.', now: NOW });
const remove = (onlyIfVersion?: number): DocumentCommand => ({ type: 'Delete', documentId: ID, now: NOW, ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }) });
const record = (version: number, ...chunks: Extract<DocumentCommand, { type: 'RecordChunks' }>['chunks']): DocumentCommand => ({ type: 'RecordChunks', documentId: ID, version, chunks });

/** Content A of two chunks, searched as version 1. */
const A = [submitted('A'), started(), chunk('a'), chunk('b'), indexed('A', 1, { chunks: 'ab', written: 'ab' })];

describe('submitting a document', () => {
  it('makes version 1 of what was never there', () => void given().when(submit('A')).then(submitted('A')));
  it('makes the next version of what changed', () => void given(...A).when(submit('B')).then(submitted('B', 2)));
  it('skips what is indexed just like that', () => void given(...A).when(submit('A')).then(skipped('A', 1)));
  it('does the work again when it is forced to', () => void given(...A).when(submit('A', { force: true })).then(submitted('A', 2)));
  it('does nothing when the same is in work already, and skips nothing either', () => {
    given(submitted('A')).when(submit('A')).then();
    given(submitted('A'), started()).when(submit('A')).then();
  });
  it('supersedes what is in work by other content, and by what is indexed', () => {
    given(submitted('A')).when(submit('B')).then(submitted('B', 2));
    given(...A, submitted('B', 2)).when(submit('A')).then(submitted('A', 3));
  });
  it('skips what could not be read before, unless it is forced or has changed', () => {
    const unreadable = [submitted('A'), failed(1, 'password')] as const;
    given(...unreadable).when(submit('A')).then(skipped('A', 1));
    given(...unreadable).when(submit('A', { force: true })).then(submitted('A', 2));
    given(...unreadable).when(submit('B')).then(submitted('B', 2));
  });
  it('tries again what failed for a reason that may pass', () => {
    for (const reason of ['gave-up', 'time-out', 'not-processable', 'embedding-failed']) given(submitted('A'), failed(1, reason)).when(submit('A')).then(submitted('A', 2));
    given(...A, submitted('B', 2), failed(2)).when(submit('A')).then(submitted('A', 3));
  });
  it('takes a deleted document anew, with the next version', () => void given(...A, deleted(1, 'ab')).when(submit('A')).then(submitted('A', 2)));
  it('refuses when somebody else changed it', () => {
    given(...A).when(submit('B', { onlyIfVersion: 1 })).then(submitted('B', 2));
    given(...A).when(submit('B', { onlyIfVersion: 2 })).thenRefuses(Conflict, /at version 1, not 2/);
    given(...A).when(submit('B', { onlyIfVersion: 0 })).thenRefuses(Conflict);
    given().when(submit('A', { onlyIfVersion: 0 })).then(submitted('A'));
  });
});

describe('processing a document', () => {
  it('starts again what was given up, but not what cannot be read', () => {
    for (const reason of ['gave-up', 'not-processable']) given(submitted('A'), started(), failed(1, reason)).when(start(1)).then(started());
    for (const reason of ['password', 'corrupt']) given(submitted('A'), started(), failed(1, reason)).when(start(1)).then();
    given(submitted('A'), started(), failed(1, 'gave-up'), submitted('B', 2)).when(start(1)).then();
  });

  it('starts what is pending, once', () => void given(submitted('A')).when(start(1)).then(started()).when(start(1)).then());
  it('does not start what was superseded or is not there', () => {
    given(submitted('A'), submitted('B', 2)).when(start(1)).then();
    given().when(start(1)).then();
  });
  it('records chunks of the version in work only', () => {
    given(submitted('A'), started()).when(record(1, chunk('a'), chunk('b'))).then(chunk('a'), chunk('b'));
    given(submitted('A'), started(), submitted('B', 2)).when(record(1, chunk('a'))).then();
    given(...A).when(record(1, chunk('c'))).then();
    given(...A, deleted(1, 'ab')).when(record(1, chunk('a'))).then();
  });
  it('leaves out what another worker recorded in between', () => {
    given(submitted('A'), started(), chunk('a')).when(record(1, chunk('a'), chunk('b'), reembedded('a'))).then(chunk('b'), reembedded('a'));
  });
  it('records a chunk that could not be embedded', () => {
    const failure = { documentId: ID, version: 1, chunkId: aChunkId('a'), index: 0, embeddingVersion: MINI, reason: 'too strange' };
    given(submitted('A'), started()).when({ type: 'RecordChunkFailure', ...failure }).then({ type: 'KnowledgeChunkFailed', data: failure });
    given(submitted('A'), submitted('B', 2)).when({ type: 'RecordChunkFailure', ...failure }).then();
  });
  it('fails the version in work only, and keeps what searches see', () => {
    given(submitted('A'), started()).when(fail(1)).then(failed(1, 'corrupt'));
    given(submitted('A'), submitted('B', 2)).when(fail(1)).then();
    given(...A, submitted('B', 2)).when(fail(2)).thenState(({ status, current }) => expect([status, current?.version]).toEqual(['failed', 1]));
  });
});

describe('completing a document', () => {
  it('writes everything the first time', () => void given(submitted('A'), started(), chunk('a'), chunk('b')).when(complete(1, 'ab')).then(indexed('A', 1, { chunks: 'ab', written: 'ab' })));
  it('writes what is new and removes what is gone', () =>
    void given(...A, submitted('B', 2), started(2), chunk('c', 2)).when(complete(2, 'cb')).then(indexed('B', 2, { chunks: 'cb', written: 'c', removed: 'a' })));
  it('comes back from B to A with the chunks that are on the log', () =>
    void given(...A, submitted('B', 2), chunk('c', 2), indexed('B', 2, { chunks: 'c', written: 'c', removed: 'ab' }), submitted('A', 3))
      .when(complete(3, 'ab'))
      .then(indexed('A', 3, { chunks: 'ab', written: 'ab', removed: 'c' })));
  it('writes everything after a deletion', () =>
    void given(...A, deleted(1, 'ab'), submitted('A', 2)).when(complete(2, 'ab')).then(indexed('A', 2, { chunks: 'ab', written: 'ab' })));

  it.each<[string, Partial<Submission>, Partial<IndexingResult>]>([
    ['a label', { labels: { team: 'red' } }, {}],
    ['the origin', { origin: 'Note' }, {}],
    ['the title', {}, { title: 'Other' }],
    ['the language', {}, { language: 'de' }],
    ['the media type', {}, { mediaType: 'text/html' }],
    ['a property', {}, { metadata: { author: 'Ann' } }],
  ])('writes all chunks again when %s changed, since each of them carries it', (_, said, result) => {
    given(...A, submitted('B', 2, said)).when(complete(2, 'ab', result)).then(indexed('B', 2, { chunks: 'ab', written: 'ab' }, result, said));
  });
  it('writes nothing when only the order of properties changed', () => {
    const [one, two] = [{ metadata: { a: '1', b: '2' } }, { metadata: { b: '2', a: '1' } }];
    given(...A.slice(0, 4), indexed('A', 1, { chunks: 'ab', written: 'ab' }, one), submitted('B', 2)).when(complete(2, 'ab', two)).then(indexed('B', 2, { chunks: 'ab', written: '' }, two));
  });

  it('refuses a chunk that is not on the log', () => given(submitted('A'), chunk('a')).when(complete(1, 'ab')).thenRefuses(Conflict, /is not on the log/));
  it('does nothing for a version that was superseded, is done, or is gone', () => {
    given(submitted('A'), chunk('a'), submitted('B', 2)).when(complete(1, 'a')).then();
    given(...A).when(complete(1, 'ab')).then();
    given(...A, deleted(1, 'ab')).when(complete(1, 'ab')).then();
  });
});

describe('importing a version that was made elsewhere', () => {
  const contents = (version: number, ...chunks: Extract<DocumentCommand, { type: 'RecordContents' }>['chunks']): DocumentCommand => ({ type: 'RecordContents', documentId: ID, version, chunks });
  const importing = (of: string, version: number, letters: string): DocumentCommand => ({ type: 'Import', documentId: ID, version, submission: aSubmission(of), result: aResult(letters), now: NOW });

  it('records contents before anything is submitted, once, and nobody sees them', () => {
    given().when(contents(1, chunk('a'), chunk('b'))).then(chunk('a'), chunk('b')).when(contents(1, chunk('b'), chunk('c'))).then(chunk('c'));
    given(chunk('a')).when(start(1)).then();
    given(chunk('a')).when(remove()).thenRefuses(NotFound);
  });
  it('submits and commits at once', () => {
    given(chunk('a'), chunk('b')).when(importing('A', 1, 'ab')).then(submitted('A'), indexed('A', 1, { chunks: 'ab', written: 'ab' })).when(start(1)).then();
  });
  it('is the next version of what is there, and writes only what is new', () => {
    given(...A, chunk('c', 2)).when(importing('B', 2, 'bc')).then(submitted('B', 2), indexed('B', 2, { chunks: 'bc', written: 'c', removed: 'a' }));
    given(...A, deleted(1, 'ab')).when(importing('A', 2, 'ab')).then(submitted('A', 2), indexed('A', 2, { chunks: 'ab', written: 'ab' }));
  });
  it('supersedes what is in work', () => {
    given(submitted('B'), chunk('a', 2)).when(importing('A', 2, 'a')).then(submitted('A', 2), indexed('A', 2, { chunks: 'a', written: 'a' })).when(complete(1, 'a')).then();
  });
  it('refuses contents that are not there, and a document that somebody else changed meanwhile', () => {
    given(chunk('a')).when(importing('A', 1, 'ab')).thenRefuses(Conflict, /is not on the log/);
    given(...A).when(contents(1, chunk('c'))).thenRefuses(Conflict, /at version 1, not 0/);
    given(...A).when(importing('B', 1, 'ab')).thenRefuses(Conflict);
  });
  it('is skipped afterwards like any other that is there just so', () => {
    given(chunk('a')).when(importing('A', 1, 'a')).then(submitted('A'), indexed('A', 1, { chunks: 'a', written: 'a' })).when(submit('A')).then(skipped('A', 1));
  });
});

describe('re-embedding a document', () => {
  const more = (...events: Extract<DocumentCommand, { type: 'RecordReembedding' }>['events']): DocumentCommand => ({ type: 'RecordReembedding', documentId: ID, events });

  it('records vectors that are lacking, of chunks that are on the log, once', () => {
    given(...A).when(more(reembedded('a'), reembedded('z'), reembedded('b', MINI))).then(reembedded('a')).when(more(reembedded('a'), reembedded('b'))).then(reembedded('b'));
  });
  it('knows of each chunk where its text and its vectors are', () => {
    given(...A).when(more(reembedded('a'))).thenState(({ recorded }) => {
      expect(recorded.get(aChunkId('a'))).toEqual({ textAt: 2, vectors: new Map([[MINI, 2], [LARGE, 5]]) });
      expect(recorded.get(aChunkId('b'))).toEqual({ textAt: 3, vectors: new Map([[MINI, 3]]) });
    });
  });
});

describe('deleting a document', () => {
  it('names the chunks that are to be forgotten', () => void given(...A).when(remove()).then(deleted(1, 'ab')).when(remove()).then());
  it('works before anything is indexed, and while the next version is in work', () => {
    given(submitted('A')).when(remove()).then(deleted(1, ''));
    given(...A, submitted('B', 2), chunk('c', 2)).when(remove()).then(deleted(2, 'ab'));
  });
  it('refuses what is not there, and what somebody else changed', () => {
    given().when(remove()).thenRefuses(NotFound, /no document/);
    given(...A).when(remove(2)).thenRefuses(Conflict);
    given(...A).when(remove(1)).then(deleted(1, 'ab'));
  });
});
