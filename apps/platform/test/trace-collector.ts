import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterSuite } from './tidy-up.ts';

export type CollectedSpan = Readonly<{ name: string; traceId: string; spanId: string; parentSpanId?: string }>;

type Export = Readonly<{ resourceSpans: readonly Readonly<{ scopeSpans: readonly Readonly<{ spans: readonly CollectedSpan[] }>[] }>[] }>;

/** Takes OTLP over HTTP in JSON, as an OpenTelemetry collector does, and keeps what it was told. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Everything as it came over the wire. */
  told = '';
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      this.told += body;
      this.spans.push(...(JSON.parse(body) as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  static async open(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>((listening) => collector.#server.listen(0, '127.0.0.1', listening));
    afterSuite(() => {
      collector.#server.closeAllConnections();
      return new Promise<void>((closed) => collector.#server.close(() => closed()));
    });
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The names of a trace's spans, each behind those of its ancestors; each path once, sorted. */
  paths(traceId: string): readonly string[] {
    const all = this.spans.filter((span) => span.traceId === traceId);
    const pathOf = (span: CollectedSpan): string => {
      const parent = all.find(({ spanId }) => spanId === span.parentSpanId);
      return `${parent ? `${pathOf(parent)} > ` : ''}${span.name}`;
    };
    return [...new Set(all.map(pathOf))].sort();
  }
}
