import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import type { KindOfWork } from './kind-of-work.ts';
import { cutOffSlowBody } from './slow-bodies.ts';

const MS = 1_000;

/** A request with a part of its body, and the response to it. */
const aRequest = (kind: KindOfWork) => {
  const request = {
    complete: false,
    readableLength: 0,
    socket: { bytesRead: 10 },
    headers: {} as Record<string, string>,
    destroyed: false,
    destroy: () => (request.destroyed = true),
  };
  const answer: { status: number; body: string; headers: readonly string[] } = { status: 0, body: '', headers: [] };
  const response = Object.assign(new EventEmitter(), {
    headersSent: false,
    destroyed: false,
    writeHead: (status: number, headers: readonly string[]) => (Object.assign(answer, { status, headers }), response),
    end: (body: string, then: () => void) => ((answer.body = body), (response.headersSent = true), then(), response.emit('close')),
  });
  cutOffSlowBody(request as unknown as IncomingMessage, response as unknown as ServerResponse, kind, MS);
  return { request, response, answer };
};

/** Advances the time, and runs the ticks of the event loop in it. */
const pass = (ms: number): void => void jest.advanceTimersByTime(ms);

describe('a request that does not send its announced body', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each<KindOfWork>(['search', 'write', 'read'])(
    '(%s) is answered with 400, and its connection closed, after the time without data',
    (kind) => {
      const { request, answer } = aRequest(kind);
      pass(MS - 1);
      expect(answer.status).toBe(0);
      pass(2);
      expect([answer.status, request.destroyed]).toEqual([400, true]);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'InvalidValue', field: 'body', expected: expect.stringContaining('1 s') });
      expect(answer.headers[answer.headers.indexOf('x-request-id') + 1]).toBe(request.headers['x-request-id']);
      expect(jest.getTimerCount()).toBe(0);
    },
  );

  it('may take longer for a large body, as long as data arrives', () => {
    const { request, answer } = aRequest('write');
    for (let i = 0; i < 10; i++) {
      request.socket.bytesRead++;
      pass(MS);
    }
    expect(answer.status).toBe(0);
    pass(2 * MS);
    expect(answer.status).toBe(400);
  });

  it('must send the whole body of a search within the time', () => {
    const { request, answer } = aRequest('search');
    for (let i = 0; i < 4; i++) {
      request.socket.bytesRead++;
      pass(MS / 4 + 1);
    }
    expect(answer.status).toBe(400);
  });

  it('is not late while received data waits to be read', () => {
    const { request, answer } = aRequest('write');
    request.readableLength = 5;
    pass(10 * MS);
    expect(answer.status).toBe(0);
  });

  it('is not ended once its body is complete, or its response was sent or aborted', () => {
    const whole = aRequest('search');
    whole.request.complete = true;
    const gone = aRequest('search');
    gone.response.emit('close');
    pass(10 * MS);
    expect([whole.answer.status, gone.answer.status, jest.getTimerCount()]).toEqual([0, 0, 0]);
  });
});
