import { Conflict } from '@palimpsest/knowledge/errors';
import { sourceId } from '@palimpsest/knowledge/values';
import { BASE, sections, World, WRITER } from '../../test/world.ts';

const aWorld = (options?: ConstructorParameters<typeof World>[0]) => new World(options).begin();

describe('a paused knowledge base', () => {
  it('holds back its documents: nothing is recorded or embedded until it is resumed', async () => {
    const world = await aWorld();
    const submitted = await world.submit(sections('Apple', 'Berry'));
    await world.knowledgeBases.pause(WRITER, BASE, 'request-2');
    await world.process(submitted);
    expect(await world.types(submitted.documentId)).toEqual(['DocumentSubmitted']);
    expect([world.provider.calls.length, world.parser.parsed.length]).toEqual([0, 0]);
    await world.knowledgeBases.resume(WRITER, BASE, 'request-3');
    await world.process(submitted);
    expect((await world.state(submitted.documentId)).status).toBe('indexed');
  });

  it('does not hold back a released document, even if the worker’s replica of the log is behind', async () => {
    const world = await aWorld();
    const submitted = await world.submit(sections('Apple'));
    const { position } = await world.knowledgeBases.pause(WRITER, BASE, 'request-2');
    // The worker still sees it paused; the message says that it was resumed later.
    await world.processDocument.run(
      { ...world.work(submitted), resumedAt: (position + 1n) as typeof position },
      new AbortController().signal,
    );
    expect((await world.state(submitted.documentId)).status).toBe('indexed');
  });

  it('accepts no new, changed or retried documents, and says how to resume it', async () => {
    const world = await aWorld();
    const indexed = await world.index(sections('Apple'));
    const head = await world.knowledgeBases.pause(WRITER, BASE, 'request-2').then(({ position }) => position);
    const refusals = [
      () => world.submit('new', { sourceId: sourceId('new.md') }),
      () => world.submit(sections('Berry')),
      () => world.submitDocument.retry(WRITER, indexed.documentId, 'request-3'),
    ];
    for (const refused of refusals) {
      await expect(refused()).rejects.toThrow(Conflict);
      await expect(refused()).rejects.toThrow(/"handbook" is paused .* resumed: POST \/v1\/knowledge-bases\/handbook\/resume/);
    }
    expect(await world.log.head()).toBe(head);
    await world.deleteDocument.run(WRITER, indexed.documentId, 'request-4');
    expect((await world.state(indexed.documentId)).status).toBe('deleted');
  });
});
