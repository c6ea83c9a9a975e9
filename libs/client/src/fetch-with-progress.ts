/** How much of a request's body was sent, in bytes. */
export type SendProgress = Readonly<{ sent: number; total: number }>;

/** The used part of a browser's XMLHttpRequest, which is the only browser API that reports how much of a body was sent. */
export type ProgressRequest = {
  responseText: string;
  status: number;
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open: (method: string, url: string) => void;
  setRequestHeader: (name: string, value: string) => void;
  getAllResponseHeaders: () => string;
  send: (body: never) => void;
  abort: () => void;
};

/**
 * A `fetch` for uploads from a browser: `client.documents.upload(files, fields, { fetch: fetchWithProgress(() => new XMLHttpRequest(), show) })`.
 * The progress of each attempt starts at 0.
 */
export const fetchWithProgress =
  (newRequest: () => ProgressRequest, onProgress: (progress: SendProgress) => void): typeof fetch =>
  (input, { method = 'GET', headers, body, signal } = {}) =>
    new Promise<Response>((resolve, reject) => {
      const request = newRequest();
      const abort = (): void => request.abort();
      const cleanUp = (): void => signal?.removeEventListener('abort', abort);
      request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total });
      request.onload = () => {
        cleanUp();
        resolve(responseOf(request));
      };
      request.onerror = () => {
        cleanUp();
        reject(new TypeError('the request failed'));
      };
      request.onabort = () => reject(signal?.reason ?? new TypeError('the request was aborted'));
      request.open(method, String(input));
      for (const [name, value] of new Headers(headers ?? {})) request.setRequestHeader(name, value);
      signal?.addEventListener('abort', abort, { once: true });
      onProgress({ sent: 0, total: 0 });
      request.send((body ?? null) as never);
    });

/** Responses with these statuses must not have a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

const responseOf = (request: ProgressRequest): Response => {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return new Response(WITHOUT_BODY.has(request.status) ? null : request.responseText, { status: request.status, headers });
};
