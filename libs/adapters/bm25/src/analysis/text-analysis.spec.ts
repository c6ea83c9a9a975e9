import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import { chunkId } from '@palimpsest/knowledge/values';
import { toRecord } from '../partition/chunk-record.ts';
import { encodeRecords } from '../storage/batch.ts';
import { AnalysisThread } from './analysis-thread.ts';
import { AnalysisThreads } from './analysis-threads.ts';
import { TextAnalysis } from './text-analysis.ts';

const put = (number: number, words: number): LexicalPut => ({
  write: 'put',
  chunkId: chunkId(number.toString(16).padStart(32, '0')),
  text: Array.from({ length: words }, (_, i) => `Wörter ${number * 7 + i} getUserName 中文`).join(' '),
  language: number % 2 === 0 ? 'en' : 'de',
  attributes: { number },
});
const few = [put(1, 3), put(2, 3)];
const many = Array.from({ length: 40 }, (_, number) => put(number, 100));
const directly = (puts: readonly LexicalPut[]) => encodeRecords(puts.map(toRecord));
const bytesOf = ({ bytes }: Readonly<{ bytes: Uint8Array }>): string => Buffer.from(bytes).toString('hex');

describe('The analysis of texts', () => {
  it('returns the same records from this thread (few texts) and the analysis thread (many texts)', async () => {
    const analysis = new TextAnalysis();
    for (const puts of [few, many, []]) {
      const { count, bytes } = await analysis.analyse(puts);
      expect(count).toBe(puts.length);
      expect(bytesOf({ bytes })).toBe(bytesOf(directly(puts)));
    }
    await analysis.close();
  });

  it('analyses announced puts in advance, and other puts when those come instead', async () => {
    const analysis = new TextAnalysis();
    analysis.expect(many);
    expect(bytesOf(await analysis.analyse(many.slice(0, 7)))).toBe(bytesOf(directly(many.slice(0, 7))));
    expect(bytesOf(await analysis.analyse(many))).toBe(bytesOf(directly(many)));
    await analysis.close();
  });

  it('continues in this thread when the analysis thread dies, and after it was closed', async () => {
    let started = 0;
    const dying = new AnalysisThreads(() => {
      const thread = new AnalysisThread();
      started++;
      void thread.close();
      return thread;
    });
    const analysis = new TextAnalysis(dying);
    expect(bytesOf(await analysis.analyse(many))).toBe(bytesOf(directly(many)));
    await analysis.close();
    expect(bytesOf(await analysis.analyse(many))).toBe(bytesOf(directly(many)));
    expect(started).toBe(1);
  });

  it('shares one thread between indexes, until the last of them is closed', async () => {
    const started: AnalysisThread[] = [];
    const threads = new AnalysisThreads(() => {
      started.push(new AnalysisThread());
      return started.at(-1)!;
    });
    const [live, second] = [new TextAnalysis(threads), new TextAnalysis(threads)];
    expect(bytesOf(await live.analyse(many))).toBe(bytesOf(directly(many)));
    second.expect(many);
    await live.close();
    expect(bytesOf(await second.analyse(many))).toBe(bytesOf(directly(many)));
    expect(started).toHaveLength(1);
    expect(started[0]!.isGone).toBe(false);
    await second.close();
    expect(started[0]!.isGone).toBe(true);
  });
});
