import { aSubmission, chunk, deleted, ID, indexed, NOW, started, submitted } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Forbidden, NotFound } from '../errors.ts';
import { document, type DocumentCommand } from './document.ts';

const { given } = specify(document);
const HR = { labels: { department: 'hr' } };
const required = { department: ['hr', 'people'] };
const submit = (of: string): DocumentCommand => ({
  type: 'Submit',
  documentId: ID,
  submission: aSubmission(of, HR),
  force: true,
  required,
  now: NOW,
});
const remove: DocumentCommand = { type: 'Delete', documentId: ID, now: NOW, required };

/** Indexed, without labels. */
const A = [submitted('A'), started(), chunk('a'), indexed('A', 1, { chunks: 'a', written: 'a' })];

describe('a document whose labels the key requires', () => {
  it('is added, replaced and deleted like any other', () => {
    given()
      .when(submit('A'))
      .then(submitted('A', 1, HR))
      .when(submit('B'))
      .then(submitted('B', 2, HR));
    given(submitted('A', 1, HR))
      .when(remove)
      .then(deleted(1, ''));
  });

  it('is neither replaced nor deleted with a key that requires others', () => {
    for (const facts of [[submitted('A')], A, [submitted('A', 1, HR), submitted('B', 2)]]) {
      given(...facts)
        .when(submit('C'))
        .thenRefuses(Forbidden, /^sourceId: a document with this source exists, without the labels that the API key requires$/);
      given(...facts)
        .when(remove)
        .thenRefuses(NotFound);
    }
  });

  it('is judged by its latest version, whatever is indexed', () => {
    given(...A, submitted('B', 2, HR))
      .when(submit('C'))
      .then(submitted('C', 3, HR));
    // Of an indexed document, only the end of its stream is read.
    given(indexed('A', 1, { chunks: 'a', written: 'a' }, {}, HR))
      .when(submit('C'))
      .then(submitted('C', 2, HR));
    given(indexed('A', 1, { chunks: 'a', written: 'a' }))
      .when(submit('C'))
      .thenRefuses(Forbidden);
  });

  it('may be added again after its deletion', () =>
    void given(...A, deleted(1, 'a'))
      .when(submit('B'))
      .then(submitted('B', 2, HR)));
});
