import { changed, DIMENSIONS, startFakeEndpoint, type FakeEndpoint, type Misbehaviour } from '../test/fake-endpoint.ts';
import { openOn } from '../test/open-on.ts';

let endpoint: FakeEndpoint;
beforeEach(async () => {
  endpoint = await startFakeEndpoint();
});
afterEach(() => endpoint.close());

const open = () => openOn(endpoint);

describe('an invalid response', () => {
  it.each([
    ['too few vectors', changed((answer) => ({ ...answer, data: answer.data.slice(1) }))],
    ['too many vectors', changed((answer) => ({ ...answer, data: [...answer.data, answer.data[0]] }))],
    ['a duplicate index', changed((answer) => ({ ...answer, data: answer.data.map((item) => ({ ...item, index: 0 })) }))],
    ['an index out of range', changed((answer) => ({ ...answer, data: answer.data.map((item) => ({ ...item, index: 7 })) }))],
    ['no data', changed(() => ({}))],
    ['empty vectors', changed((answer) => ({ ...answer, data: answer.data.map((item) => ({ ...item, embedding: [] })) }))],
    ['zeros', changed((answer) => ({ ...answer, data: answer.data.map((item) => ({ ...item, embedding: Array(DIMENSIONS).fill(0) })) }))],
    ['words', changed((answer) => ({ ...answer, data: answer.data.map((item) => ({ ...item, embedding: ['one'] })) }))],
    ['half a number', changed((answer) => ({ ...answer, data: answer.data.map((item) => ({ ...item, embedding: 'AAA=' })) }))],
    ['a web page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ] as [string, Misbehaviour][])('is Unavailable: %s', async (_, misbehave) => {
    endpoint.next(misbehave);
    await expect(open().embed(['one', 'two'], 'passage')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('keeps its order if it has no indexes', async () => {
    endpoint.next(changed((answer) => ({ ...answer, data: answer.data.toReversed().map(({ embedding }) => ({ embedding })) })));
    const texts = ['one', 'two', 'three'];
    expect(await open().embed(texts, 'passage')).toEqual(await open().embed(texts, 'passage'));
  });
});
