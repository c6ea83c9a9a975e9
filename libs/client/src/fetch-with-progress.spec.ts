import { fetchWithProgress, type ProgressRequest, type SendProgress } from './fetch-with-progress.ts';
import { PalimpsestClient } from './palimpsest-client.ts';

type Answer = Readonly<{ status: number; headers?: string; body?: string }>;

/** What a browser's XMLHttpRequest does with one answer, half of the body told on the way. */
const aBrowser = (...answers: readonly (Answer | 'broken')[]) => {
  const seen: { method: string; url: string; headers: Record<string, string> }[] = [];
  let next = 0;
  const newRequest = (): ProgressRequest => {
    const answer = answers[next++];
    const about = { method: '', url: '', headers: {} as Record<string, string> };
    let aborted = false;
    const request: ProgressRequest = {
      responseText: '', status: 0, upload: { onprogress: null }, onload: null, onerror: null, onabort: null,
      open: (method, url) => void Object.assign(about, { method, url }),
      setRequestHeader: (name, value) => void (about.headers[name] = value),
      getAllResponseHeaders: () => (answer === 'broken' || answer === undefined ? '' : (answer.headers ?? '')),
      abort: () => {
        aborted = true;
        request.onabort?.();
      },
      send: () => {
        seen.push(about);
        queueMicrotask(() => {
          if (aborted) return;
          request.upload.onprogress?.({ loaded: 50, total: 100 });
          if (answer === 'broken') return request.onerror?.();
          if (answer === undefined) return;
          request.status = answer.status;
          request.responseText = answer.body ?? '';
          request.onload?.();
        });
      },
    };
    return request;
  };
  return { newRequest, seen };
};

const client = new PalimpsestClient({ url: 'http://console.test', apiKey: 'plk_x' });
const file = { name: 'a.md', content: new Uint8Array([65]) };
const accepted = { status: 202, body: '{"documents":[],"position":"7"}' };

describe('an upload from a browser', () => {
  it('tells how much was sent, and answers what the server says', async () => {
    const { newRequest, seen } = aBrowser(accepted);
    const told: SendProgress[] = [];
    await expect(client.documents.upload([file], {}, { fetch: fetchWithProgress(newRequest, (progress) => told.push(progress)) })).resolves.toEqual({ documents: [], position: '7' });
    expect(told).toEqual([{ sent: 0, total: 0 }, { sent: 50, total: 100 }]);
    expect(seen).toEqual([{ method: 'POST', url: 'http://console.test/v1/documents', headers: { accept: 'application/json', authorization: 'Bearer plk_x' } }]);
  });
  it('waits as long as a busy server asks for, and tries again', async () => {
    const { newRequest, seen } = aBrowser({ status: 429, headers: 'retry-after: 0\r\ncontent-type: application/problem+json\r\n', body: '{"code":"Overloaded"}' }, accepted);
    const waits: number[] = [];
    await client.documents.upload([file], {}, { fetch: fetchWithProgress(newRequest, () => undefined), onRetry: ({ status }) => waits.push(status) });
    expect({ waits, requests: seen.length }).toEqual({ waits: [429], requests: 2 });
  });
  it('is refused with the server’s problem', async () => {
    const { newRequest } = aBrowser({ status: 413, body: '{"code":"TooLarge","title":"The request is too large","detail":"it is"}' });
    await expect(client.documents.upload([file], {}, { fetch: fetchWithProgress(newRequest, () => undefined) })).rejects.toMatchObject({ code: 'TooLarge', title: 'The request is too large' });
  });
  it('that breaks is a connection error', async () => {
    const { newRequest } = aBrowser('broken');
    await expect(client.documents.upload([file], {}, { fetch: fetchWithProgress(newRequest, () => undefined) })).rejects.toMatchObject({ code: 'ConnectionFailed' });
  });
  it('is broken off by its signal', async () => {
    const { newRequest } = aBrowser();
    const controller = new AbortController();
    const upload = client.documents.upload([file], {}, { signal: controller.signal, fetch: fetchWithProgress(newRequest, () => undefined) });
    controller.abort(new Error('not any more'));
    await expect(upload).rejects.toThrow('not any more');
  });
});
