import type { FactBatch } from '@palimpsest/contracts';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import { position } from '@palimpsest/knowledge/values';
import { BatchPipeline } from './batch-pipeline.ts';

const never = new AbortController().signal;
const batch = (
  upTo: number,
  { type = 'DocumentSubmitted', caughtUp = false }: Readonly<{ type?: DomainEvent['type']; caughtUp?: boolean }> = {},
): FactBatch => ({
  facts: [{ event: { type } } as unknown as Fact<DomainEvent>],
  upTo: position(String(upTo)),
  caughtUp,
});
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A projector that records its calls and finishes a write when the test says so. */
const projector = () => {
  const done: string[] = [];
  const writing: Readonly<{ resolve: () => void; reject: (error: Error) => void }>[] = [];
  return {
    done,
    finish: async (error?: Error): Promise<void> => {
      const write = writing.shift();
      if (error) write?.reject(error);
      else write?.resolve();
      await settled();
    },
    prepare: async (facts: FactBatch['facts'], upTo: FactBatch['upTo']) => {
      done.push(`prepared ${upTo}`);
      return { facts, upTo };
    },
    write: async ({ upTo }: Pick<FactBatch, 'upTo'>) => {
      done.push(`writing ${upTo}`);
      await new Promise<void>((resolve, reject) => writing.push({ resolve, reject }));
    },
  };
};

describe('The batch pipeline', () => {
  it('prepares the next batch while one is being written, and writes in order', async () => {
    const work = projector();
    const written: string[] = [];
    const pipeline = new BatchPipeline(work, ({ upTo }) => written.push(String(upTo)));
    await pipeline.take(batch(1), never);
    const second = pipeline.take(batch(2), never);
    await settled();
    expect(work.done).toEqual(['prepared 1', 'writing 1', 'prepared 2']);
    await work.finish();
    await second;
    await work.finish();
    await pipeline.end();
    expect(work.done).toEqual(['prepared 1', 'writing 1', 'prepared 2', 'writing 2']);
    expect(written).toEqual(['1', '2']);
  });

  it('does not prepare batches ahead of facts about scopes, which change how later facts are read', async () => {
    const work = projector();
    const pipeline = new BatchPipeline(work, () => undefined);
    await pipeline.take(batch(1, { type: 'GenerationStarted' }), never);
    const second = pipeline.take(batch(2), never);
    await settled();
    expect(work.done).toEqual(['prepared 1', 'writing 1']);
    await work.finish();
    await second;
    expect(work.done).toEqual(['prepared 1', 'writing 1', 'prepared 2', 'writing 2']);
    await work.finish();
    await pipeline.end();
  });

  it('waits for the last batch, so that its failure is reported immediately', async () => {
    const work = projector();
    const last = new BatchPipeline(work, () => undefined).take(batch(1, { caughtUp: true }), never);
    const rejection = expect(last).rejects.toThrow('the disk is full');
    await settled();
    await work.finish(new Error('the disk is full'));
    await rejection;
  });

  it('writes nothing after a batch that failed', async () => {
    const work = projector();
    const pipeline = new BatchPipeline(work, () => undefined);
    await pipeline.take(batch(1), never);
    const rejection = expect(pipeline.take(batch(2), never)).rejects.toThrow('the disk is full');
    await settled();
    await work.finish(new Error('the disk is full'));
    await rejection;
    expect(work.done).not.toContain('writing 2');
  });
});
