import { ProblemError } from '@palimpsest/client';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { expectProblem, type Answer } from '@palimpsest/e2e-support/ask';

const MAX_FILES = 1_000;

describe('a form with many files', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), { PALIMPSEST_MAX_DOCUMENT_MB: '1' });
  });

  const part = (name: string, text = `The text of ${name}.`) =>
    `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${text}\r\n`;
  const send = (body: string): Promise<Answer> =>
    platform.ask('POST /v1/documents', { body, headers: { 'content-type': 'multipart/form-data; boundary=b' } });
  const sourcesOf = (answer: Answer): readonly unknown[] =>
    ((answer.json['documents'] ?? []) as readonly { sourceId: string; status: string }[])
      .filter(({ status }) => status === 'accepted')
      .map(({ sourceId }) => sourceId);
  const exists = async (name: string): Promise<boolean> =>
    ((await platform.ask(`GET /v1/documents?source=${name}`)).json['documents'] as unknown[]).length === 1;

  it('has the documented maximum number of files accepted', async () => {
    const names = Array.from({ length: MAX_FILES }, (_, i) => `many-${i}.md`);
    const answer = await send(`${names.map((name) => part(name)).join('')}--b--\r\n`);
    expect([answer.status, sourcesOf(answer).length]).toEqual([202, MAX_FILES]);
  });

  it('gets the accepted files if it is truncated at any byte', async () => {
    const whole = `${['a', 'b', 'c'].map((name) => part(`cut-${name}.md`)).join('')}--b--\r\n`;
    for (let length = 1; length < whole.length - 4; length += 7) {
      const answer = await send(whole.slice(0, length).replaceAll('cut-', `cut${length}-`));
      expectProblem(answer, 400, 'InvalidValue');
      const accepted = sourcesOf(answer);
      for (const name of ['a', 'b', 'c'])
        expect({ length, name, exists: await exists(`cut${length}-${name}.md`) }).toEqual({
          length,
          name,
          exists: accepted.includes(`cut${length}-${name}.md`),
        });
    }
  });

  it('gets the accepted files if a field follows them', async () => {
    const answer = await send(`${part('first.md')}--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nlate\r\n--b--\r\n`);
    expectProblem(answer, 400, 'InvalidValue', { field: 'title' });
    expect(sourcesOf(answer)).toEqual(['first.md']);
  });

  it('with two values for a field is refused without accepting any file', async () => {
    const field = (value: string) => `--b\r\nContent-Disposition: form-data; name="knowledgeBase"\r\n\r\n${value}\r\n`;
    const answer = await send(`${field('one')}${field('two')}${part('twice.md')}--b--\r\n`);
    expectProblem(answer, 400, 'InvalidValue', { field: 'knowledgeBase' });
    expect(answer.json['documents']).toBeUndefined();
  });

  it('gets the accepted files if there is one too many, also through the client', async () => {
    const files = Array.from({ length: MAX_FILES + 1 }, (_, i) => ({ name: `client-${i}.md`, content: Buffer.from(`Text ${i}.`) }));
    const error = await platform.client.documents.upload(files).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ status: 400, field: 'file' });
    expect((error as ProblemError).documents.map(({ sourceId }) => sourceId)).toEqual(files.slice(0, MAX_FILES).map(({ name }) => name));
    expect(await exists(`client-${MAX_FILES}.md`)).toBe(false);
  });
});
