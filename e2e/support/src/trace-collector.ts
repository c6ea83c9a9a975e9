import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterSuite } from './tidy-up.ts';

export type CollectedSpan = Readonly<{ name: string; traceId: string; spanId: string; parentSpanId?: string }>;

type Export = Readonly<{ resourceSpans: readonly Readonly<{ scopeSpans: readonly Readonly<{ spans: readonly CollectedSpan[] }>[] }>[] }>;

/** Receives OTLP over HTTP in JSON, like an OpenTelemetry collector, and stores it. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** All request bodies, unchanged. */
  received = '';
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      this.received += body;
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

  /** The distinct, sorted paths of a trace: the name of each span after those of its ancestors. */
  paths(traceId: string): readonly string[] {
    const all = this.spans.filter((span) => span.traceId === traceId);
    const pathOf = (span: CollectedSpan): string => {
      const parent = all.find(({ spanId }) => spanId === span.parentSpanId);
      return `${parent ? `${pathOf(parent)} > ` : ''}${span.name}`;
    };
    return [...new Set(all.map(pathOf))].sort();
  }
}
