import { Readable } from 'node:stream';
import { type RouteContract } from '@palimpsest/contracts/http';
import {
  deleteDocument,
  followDocuments,
  getDocument,
  listDocuments,
  replaceDocument,
  retryDocument,
  submitDocuments,
} from '@palimpsest/contracts/routes/documents';
import { getEvent, listEvents } from '@palimpsest/contracts/routes/events';
import { cutOverSwap, pauseSwap } from '@palimpsest/contracts/routes/swap';
import { importDocuments } from '@palimpsest/contracts/routes/transfer';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { inputOf } from './input.ts';

const ID = 'a'.repeat(32);
const request = (
  given: Partial<Readonly<{ params: unknown; query: unknown; headers: Readonly<Record<string, string>>; body: unknown }>>,
) => ({ params: {}, query: {}, headers: {}, body: undefined, ...given });

describe('the input of a route', () => {
  it('has the parameters of the path, the query, the headers and the body, parsed', () => {
    expect(inputOf(retryDocument, request({ params: { id: ID } }))).toEqual({ params: { id: ID } });
    expect(inputOf(getDocument, request({ params: { id: ID } }))).toEqual({ params: { id: ID }, query: {} });
    expect(inputOf(getEvent, request({ params: { position: '7' } })).params).toEqual({ position: 7n });
    expect(inputOf(listDocuments, request({ query: { limit: '3', total: 'true' } })).query).toEqual({ limit: 3, total: true });
    expect(inputOf(deleteDocument, request({ params: { id: ID }, headers: { 'if-match': '"3"' } })).headers).toEqual({ 'If-Match': 3 });
    expect(inputOf(submitDocuments, request({ body: { sourceId: 'a.md', text: 'Text' } })).body).toMatchObject({
      sourceId: 'a.md',
      mediaType: 'text/markdown',
      force: false,
    });
  });

  it('has a list for a repeatable parameter, however often it is given', () => {
    expect(inputOf(listEvents, request({ query: { type: 'DocumentIndexed' } })).query.type).toEqual(['DocumentIndexed']);
    expect(inputOf(listEvents, request({ query: { type: ['DocumentIndexed', 'DocumentFailed'] } })).query.type).toEqual([
      'DocumentIndexed',
      'DocumentFailed',
    ]);
    expect(inputOf(listEvents, request({})).query.type).toBeUndefined();
  });

  it('has an empty object for a body that is optional and missing', () => {
    const params = { scope: 'deployment' };
    expect(inputOf(cutOverSwap, request({ params })).body).toEqual({});
    expect(() => inputOf(cutOverSwap, request({ params, body: null }))).toThrow(InvalidValue);
    expect(inputOf(cutOverSwap, request({ params, body: { force: true } })).body).toEqual({ force: true });
    expect(() => inputOf(pauseSwap, request({ params }))).toThrow(InvalidValue);
  });

  it('leaves the parts of a form to the handler', () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(inputOf(replaceDocument, request({ params: { id: ID }, headers })).body).toBeUndefined();
  });

  it('has the bytes of lines of JSON, which are not read', async () => {
    const { body } = inputOf(importDocuments, request({ params: { scope: 'deployment' }, body: Readable.from([Buffer.from('{}')]) }));
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('{}');
  });

  it.each<[string, RouteContract, Parameters<typeof request>[0], string, string]>([
    ['a parameter of the path', getDocument, { params: { id: 'x' } }, 'documentId', '32 hexadecimal digits'],
    ['an unknown query parameter', listDocuments, { query: { colour: 'red' } }, 'colour', 'a known field'],
    [
      'a query parameter that is given twice',
      listDocuments,
      { query: { status: ['failed', 'failed'] } },
      'status',
      'one of "pending", "processing", "indexed", "failed"',
    ],
    ['an item of a list', listEvents, { query: { type: 'Nothing' } }, 'type[0]', expect.stringContaining('"DocumentIndexed"')],
    [
      'a header',
      deleteDocument,
      { params: { id: ID }, headers: { 'if-match': 'W/3' } },
      'If-Match',
      'a document version in quotes, like "3"',
    ],
    ['a position', followDocuments, { query: { after: '-1' } }, 'after', expect.stringContaining('a position')],
    ['a missing body', submitDocuments, {}, 'body', 'an object'],
    [
      'a body that should be lines',
      importDocuments,
      { params: { scope: 'deployment' }, body: { a: 1 } },
      'content-type',
      'application/x-ndjson',
    ],
  ])('names %s that is invalid, and what was expected', (_, contract, given, field, expected) => {
    const parse = () => inputOf(contract, request(given));
    expect(parse).toThrow(InvalidValue);
    expect(parse).toThrow(expect.objectContaining({ field, expected }));
  });
});
