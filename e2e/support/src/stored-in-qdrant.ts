import { distributedServers } from './distributed-under-test.ts';

type Page = Readonly<{ result: Readonly<{ points: readonly unknown[]; next_page_offset: string | number | null }> }>;

/** Everything that the Qdrant server of a distributed run returns of all points, with what is in Base64 also decoded. */
export const storedInQdrant = async (): Promise<string> => {
  const address = distributedServers()?.qdrant.address;
  if (address === undefined) throw new Error('the run has no Qdrant server');
  const apiKey = process.env['QDRANT_API_KEY'];
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { 'api-key': apiKey }) };
    const response = await fetch(
      `${address}${path}`,
      body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
    );
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const { result } = (await ask('/collections')) as { result: { collections: readonly { name: string }[] } };
  const shown: string[] = [];
  for (const { name } of result.collections)
    for (let offset: string | number | null | undefined; offset !== null;) {
      const from = offset === undefined ? {} : { offset };
      const asked = { limit: 200, with_payload: true, with_vector: true, ...from };
      const page = (await ask(`/collections/${name}/points/scroll`, asked)) as Page;
      shown.push(name, ...page.result.points.map((point) => JSON.stringify(point)));
      offset = page.result.next_page_offset;
    }
  const text = shown.join('\n');
  const decoded = [...text.matchAll(/[\w+/-]{16,}={0,2}/g)].map(([found]) => Buffer.from(found, 'base64').toString('latin1'));
  return [text, ...decoded].join('\n');
};
