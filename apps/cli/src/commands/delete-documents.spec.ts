import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

const DELETE = 'POST /v1/documents/delete';
const document = { documentId: 'd1', knowledgeBase: 'handbook', scope: 'deployment', sourceId: 'old/a.md', title: 'Old', version: 1 };
const answer = { matching: 3, deleted: 0, changed: 0, remaining: 3, documents: [document], position: '9' };
const sent = () => platform.requestsTo(DELETE).map(({ json }) => json);

describe('palimpsest documents delete', () => {
  it('shows what matches, and deletes nothing without --yes', async () => {
    platform.on(DELETE, () => ({ json: answer }));
    const { code, out, err } = await palimpsest(
      ...['documents', 'delete', '--kb', 'handbook', '--label', 'year=2025', '--label', 'team=red', '--source', 'old/', '--expected', '3'],
    );
    expect(code).toBe(0);
    expect(out).toMatch(/d1 +handbook +old\/a\.md +Old/);
    expect(err).toBe('1 of 3 documents; all of them would be deleted\n3 documents match; nothing was deleted: add --yes\n');
    expect(sent()).toEqual([
      { knowledgeBase: 'handbook', labels: { year: '2025', team: 'red' }, source: 'old/', dryRun: true, expected: 3 },
    ]);
  });

  it('deletes request by request with --yes; only the first one compares the number', async () => {
    const answers = [answer, { ...answer, deleted: 2, remaining: 1 }, { ...answer, matching: 1, deleted: 1, remaining: 0 }];
    platform.on(DELETE, () => ({ json: answers[sent().length - 1] }));
    const filter = { eq: { field: 'origin', value: 'Note' } };
    const { code, out } = await palimpsest('documents', 'delete', '--scope', 'team:red', '--filter', JSON.stringify(filter), '--yes');
    expect({ code, out }).toEqual({ code: 0, out: 'deleted 3 documents\n' });
    const which = { scope: 'team:red', filter };
    expect(sent()).toEqual([{ ...which, dryRun: true }, { ...which, expected: 3 }, which]);
  });

  it('says which documents are kept, with the code of a partial failure', async () => {
    const answers = [answer, { ...answer, deleted: 2, changed: 1, remaining: 0 }];
    platform.on(DELETE, () => ({ json: answers[sent().length - 1] }));
    const { code, err } = await palimpsest('documents', 'delete', '--kb', 'handbook', '--status', 'failed', '--yes');
    expect({ code, err }).toEqual({ code: 1, err: '1 documents were changed meanwhile and are kept\n' });
  });

  it('refuses a filter that is no JSON', async () => {
    expect(await palimpsest('documents', 'delete', '--kb', 'handbook', '--filter', 'x')).toMatchObject({
      code: 2,
      err: 'palimpsest: --filter is no JSON\n',
    });
  });
});

describe('palimpsest knowledge-bases delete', () => {
  it('needs the id twice, and waits until the knowledge base is gone', async () => {
    let looks = 0;
    platform
      .on('DELETE /v1/knowledge-bases/kb', () => ({ status: 202, json: { id: 'kb', status: 'deleting' } }))
      .on('GET /v1/knowledge-bases/kb', () =>
        ++looks === 1 ? { json: { id: 'kb', status: 'deleting' } } : { status: 404, json: { code: 'NotFound', detail: 'not found' } },
      );
    expect(await palimpsest('kb', 'delete', 'kb', '--confirm', 'k')).toMatchObject({ code: 2, err: 'palimpsest: --confirm must be kb\n' });
    expect((await palimpsest('kb', 'delete', 'kb')).code).toBe(2);
    expect(platform.requestsTo('DELETE /v1/knowledge-bases/kb')).toHaveLength(0);
    expect(await palimpsest('kb', 'delete', 'kb', '--confirm', 'kb')).toMatchObject({ code: 0, out: 'deleted kb with its documents\n' });
    expect(looks).toBe(2);
    expect(await palimpsest('kb', 'delete', 'kb', '--confirm', 'kb', '--no-wait')).toMatchObject({ code: 0, out: 'deleting kb\n' });
    expect(looks).toBe(2);
  });
});
