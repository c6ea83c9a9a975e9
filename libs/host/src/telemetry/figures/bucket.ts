import { Latency } from './latency.ts';

/** Of the parts that were asked: what they did not answer is missing. */
export type Gauges = Readonly<{ queueDepth?: number; held?: number; lagPositions?: number; lagMs?: number }>;

/** What happened in one stretch of time. */
export class Bucket {
  /** Unix ms of its beginning. */
  readonly at: number;
  readonly searches = new Latency();
  readonly embedding = new Latency();
  readonly flush = new Latency();
  embeddingFailures = 0;
  documentsIndexed = 0;
  documentsFailed = 0;
  chunksIndexed = 0;
  hit = 0;
  miss = 0;
  empty = 0;
  /** As they were when somebody looked last. */
  gauges: Gauges = {};

  constructor(at: number) {
    this.at = at;
  }
}
