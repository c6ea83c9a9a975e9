import { collectionName, FORMAT, isOfEarlierFormat, metaName } from './names.ts';

describe('isOfEarlierFormat', () => {
  const earlier = (name: string) => (['vectors', 'lexical'] as const).filter((kind) => isOfEarlierFormat('acme-', kind, name));

  it('knows the names of all earlier formats, and to which index they belong', () => {
    expect(['acme-_vectors_model-384_0123', 'acme-_meta_vectors', 'acme-_meta_vectors-2'].map(earlier)).toEqual([
      ['vectors'],
      ['vectors'],
      ['vectors'],
    ]);
    expect(['acme-_lexical_words_0123', 'acme-_meta_lexical', `acme-_lexical-${FORMAT - 1}_words`].map(earlier)).toEqual([
      ['lexical'],
      ['lexical'],
      ['lexical'],
    ]);
  });

  it('never takes a collection of this format, a later one, or another installation or program for one', () => {
    const [own, meta] = [collectionName('acme-', 'vectors', 'model/384'), metaName('acme-', 'lexical')];
    const later = [`acme-_vectors-${FORMAT + 1}_model`, `acme-_meta_lexical-${FORMAT + 1}`];
    for (const name of [own, meta, ...later, 'acme_vectors_model', 'x-acme-_vectors_model', 'acme-_vectors', 'acme-_meta_vectors-of-mine'])
      expect([name, earlier(name)]).toEqual([name, []]);
  });
});
