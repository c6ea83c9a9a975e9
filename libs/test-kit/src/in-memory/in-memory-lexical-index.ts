import { isSelectedBy, selectionIds } from '@palimpsest/contracts';
import type { IndexQuery, LexicalHit, LexicalIndex, LexicalPut, LexicalSpread, ReadablePartition } from '@palimpsest/knowledge/read-models';
import type { SelectedChunks, WordConditions, WordFrequency } from '@palimpsest/knowledge/selections';
import { LexicalModel } from '../lexical-index-model.ts';
import { checkK, digestOf, InMemoryIndex } from './in-memory-index.ts';

/** Textbook BM25 over words separated by spaces; no language analysis. */
export class InMemoryLexicalIndex extends InMemoryIndex<LexicalPut> implements LexicalIndex {
  reopened(): InMemoryLexicalIndex {
    return new InMemoryLexicalIndex(this.left('kill'));
  }

  async search({ scope, generation }: ReadablePartition, text: string, { k, filter, chunks }: IndexQuery): Promise<readonly LexicalHit[]> {
    this.checkOpen();
    checkK(k);
    const model = new LexicalModel();
    const puts = this.puts({ scope, generation });
    model.apply(puts);
    const isSelected = chunks === undefined ? () => true : isSelectedBy(chunks);
    return puts
      .filter(
        ({ chunkId }) =>
          isSelected(chunkId) && model.held(chunkId, text).length > 0 && (filter === undefined || model.satisfies(chunkId, filter)),
      )
      .map(({ chunkId }) => ({ chunkId, score: model.score(chunkId, text), terms: model.held(chunkId, text) }))
      .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1))
      .slice(0, k);
  }

  async spread({ scope, generation }: ReadablePartition, text: string, language?: string): Promise<LexicalSpread> {
    this.checkOpen();
    const model = new LexicalModel();
    model.apply(this.puts({ scope, generation }));
    return model.spread(text, language);
  }

  async select({ scope, generation }: ReadablePartition, conditions: WordConditions): Promise<SelectedChunks> {
    this.checkOpen();
    const model = new LexicalModel();
    model.apply(this.puts({ scope, generation }));
    const selected = model.selected(conditions);
    return { chunks: { only: selectionIds(selected) }, count: selected.length, ignored: model.ignored(conditions) };
  }

  async frequencies({ scope, generation }: ReadablePartition, words: readonly string[]): Promise<readonly WordFrequency[]> {
    this.checkOpen();
    const model = new LexicalModel();
    model.apply(this.puts({ scope, generation }));
    return words.map((word) => model.frequency(word));
  }

  protected digest(put: LexicalPut): string {
    return lexicalDigestInMemory(put);
  }

  protected check(): void {
    // All texts are valid.
  }
}

export const lexicalDigestInMemory = ({ text, fields, language, attributes }: LexicalPut): string =>
  digestOf([text, fields, language], attributes);
