import { fetchWithProgress, type ProgressRequest, type SendProgress } from './fetch-with-progress.ts';
import { PalimpsestClient } from './palimpsest-client.ts';

type Answer = Readonly<{ status: number; headers?: string; body?: string }>;

/** Simulates the XMLHttpRequest of a browser; each request reports progress once, at half of the body. */
const aBrowser = (...answers: readonly (Answer | 'broken')[]) => {
  const seen: { method: string; url: string; headers: Record<string, string> }[] = [];
  let next = 0;
  const newRequest = (): ProgressRequest => {
    const answer = answers[next++];
    const about = { method: '', url: '', headers: {} as Record<string, string> };
    let aborted = false;
    const request: ProgressRequest = {
      responseText: '',
      status: 0,
      upload: { onprogress: null },
      onload: null,
      onerror: null,
      onabort: null,
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
  it('reports how much was sent and returns the response of the server', async () => {
    const { newRequest, seen } = aBrowser(accepted);
    const reported: SendProgress[] = [];
    await expect(
      client.documents.upload([file], {}, { fetch: fetchWithProgress(newRequest, (progress) => reported.push(progress)) }),
    ).resolves.toEqual({ documents: [], position: '7' });
    expect(reported).toEqual([
      { sent: 0, total: 0 },
      { sent: 50, total: 100 },
    ]);
    expect(seen).toEqual([
      { method: 'POST', url: 'http://console.test/v1/documents', headers: { accept: 'application/json', authorization: 'Bearer plk_x' } },
    ]);
  });
  it('waits as long as a busy server asks for, then retries', async () => {
    const { newRequest, seen } = aBrowser(
      { status: 429, headers: 'retry-after: 0\r\ncontent-type: application/problem+json\r\n', body: '{"code":"Overloaded"}' },
      accepted,
    );
    const waits: number[] = [];
    await client.documents.upload(
      [file],
      {},
      { fetch: fetchWithProgress(newRequest, () => undefined), onRetry: ({ status }) => waits.push(status) },
    );
    expect({ waits, requests: seen.length }).toEqual({ waits: [429], requests: 2 });
  });
  it('rejects with the problem that the server returned', async () => {
    const { newRequest } = aBrowser({ status: 413, body: '{"code":"TooLarge","title":"Request body too large","detail":"it is"}' });
    await expect(client.documents.upload([file], {}, { fetch: fetchWithProgress(newRequest, () => undefined) })).rejects.toMatchObject({
      code: 'TooLarge',
      title: 'Request body too large',
    });
  });
  it('rejects with a connection error when the request fails', async () => {
    const { newRequest } = aBrowser('broken');
    await expect(client.documents.upload([file], {}, { fetch: fetchWithProgress(newRequest, () => undefined) })).rejects.toMatchObject({
      code: 'ConnectionFailed',
    });
  });
  it('is aborted by its signal', async () => {
    const { newRequest } = aBrowser();
    const controller = new AbortController();
    const upload = client.documents.upload(
      [file],
      {},
      { signal: controller.signal, fetch: fetchWithProgress(newRequest, () => undefined) },
    );
    controller.abort(new Error('not any more'));
    await expect(upload).rejects.toThrow('not any more');
  });
});
