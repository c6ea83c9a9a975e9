import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type CollectedSpan = Readonly<{
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Readonly<Record<string, unknown>>;
}>;

type Attribute = Readonly<{ key: string; value: Readonly<Record<string, unknown>> }>;
type WireSpan = Readonly<{ name: string; traceId: string; spanId: string; parentSpanId?: string; attributes: readonly Attribute[] }>;
type Export = Readonly<{
  resourceSpans: readonly Readonly<{
    resource: Readonly<{ attributes: readonly Attribute[] }>;
    scopeSpans: readonly Readonly<{ spans: readonly WireSpan[] }>[];
  }>[];
}>;

const attributesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansIn = ({ resourceSpans }: Export): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: String(attributesOf(resource.attributes)['service.name']),
        attributes: attributesOf(span.attributes),
      })),
    ),
  );

export type Collector = Readonly<{ url: string; spans: readonly CollectedSpan[]; paths: ReadonlySet<string>; close: () => Promise<void> }>;

/** A collector for OTLP over HTTP in JSON that keeps the spans. `silent`: accepts requests and never responds. */
export const aCollector = async ({ silent = false } = {}): Promise<Collector> => {
  const [spans, paths] = [[] as CollectedSpan[], new Set<string>()];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    paths.add(request.url ?? '');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (silent) return;
    spans.push(...spansIn(JSON.parse(Buffer.concat(chunks).toString()) as Export));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    paths,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
