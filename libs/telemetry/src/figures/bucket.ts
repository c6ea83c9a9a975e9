import { Latency } from './latency.ts';

/** The gauges that were read; a value is missing if its source failed. */
export type Gauges = Readonly<{ queueDepth?: number; held?: number; lagPositions?: number; lagMs?: number }>;

/** The figures of one interval. */
export class Bucket {
  /** Start of the interval, in Unix milliseconds. */
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
  /** The gauges as last read. */
  gauges: Gauges = {};

  constructor(at: number) {
    this.at = at;
  }
}
