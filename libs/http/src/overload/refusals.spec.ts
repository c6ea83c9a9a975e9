import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Refusals } from './refusals.ts';
import { RefusedConnections } from './refused-connections.ts';

/** The response to a refused request, as sent over the wire. */
const responseTo = (refusals: Refusals, refusal: Readonly<{ reason: string; retryAfterSeconds: number }>, requestId?: string): string => {
  const request = new IncomingMessage(new Socket());
  if (requestId !== undefined) request.headers['x-request-id'] = requestId;
  const response = new ServerResponse(request);
  let written = '';
  const socket = new Socket();
  socket.write = ((text: string) => ((written += text), true)) as Socket['write'];
  response.assignSocket(socket);
  refusals.answer(request, response, refusal);
  return written;
};

describe('the response to a refused request', () => {
  const refusals = new Refusals(new RefusedConnections());

  it('is a problem with the reason and the time to retry', () => {
    const [head = '', body = ''] = responseTo(refusals, { reason: 'too many', retryAfterSeconds: 3 }, 'mine-1').split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 429 /);
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(head.toLowerCase()).toContain('retry-after: 3\r\n');
    expect(head).toContain('x-request-id: mine-1');
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).toMatchObject({ status: 429, code: 'Overloaded', detail: 'too many', retryAfterSeconds: 3 });
  });

  it('has the reason, the time to retry and the request id of each request', () => {
    const [one, same, other, later] = [
      responseTo(refusals, { reason: 'one', retryAfterSeconds: 1 }),
      responseTo(refusals, { reason: 'one', retryAfterSeconds: 1 }),
      responseTo(refusals, { reason: 'other', retryAfterSeconds: 1 }),
      responseTo(refusals, { reason: 'other', retryAfterSeconds: 2 }),
    ];
    const idOf = (text: string) => /x-request-id: (\S+)/.exec(text)?.[1];
    expect(new Set([one, same, other, later].map(idOf)).size).toBe(4);
    expect(same.replace(String(idOf(same)), '')).toBe(one.replace(String(idOf(one)), ''));
    expect(other).toContain('"detail":"other"');
    expect(later).toContain('retry-after: 2\r\n');
  });
});
