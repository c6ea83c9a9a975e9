import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import type { Admission, Catalog, Consumer, EmbeddingProviders, LexicalIndex, MessageBus, ReadModels, ScopeKeys, TokenCounter, VectorIndex } from '@palimpsest/knowledge';
import { PORT, type OnFault } from '@palimpsest/runtime';
import { RetrieveContext } from '../context/retrieve-context.ts';
import { SearchKnowledge } from '../search/search-knowledge.ts';
import { TraceQueue } from '../traces/trace-queue.ts';
import { startTraceRecorder } from '../traces/trace-recorder.ts';
import { SearchController } from './search-controller.ts';

export type QuerySettings = Readonly<{ traceRetentionSeconds: number }>;

/** Records traces behind the searches; on the way out, once the last request is answered, the last ones still get onto the bus. */
class TraceRecording implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #queue: TraceQueue;
  readonly #start: () => Promise<Consumer>;
  #consumer: Consumer | undefined;

  constructor(queue: TraceQueue, start: () => Promise<Consumer>) {
    this.#queue = queue;
    this.#start = start;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#consumer = await this.#start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#queue.flush();
    await this.#consumer?.stop();
  }
}

@Module({
  controllers: [SearchController],
  providers: [
    {
      provide: TraceQueue,
      inject: [PORT.MessageBus, PORT.OnFault],
      useFactory: (bus: MessageBus, onFault: OnFault) => new TraceQueue(bus, (error) => onFault(error, 'publishing retrieval traces')),
    },
    {
      provide: TraceRecording,
      inject: [TraceQueue, PORT.MessageBus, PORT.Journal, PORT.Settings],
      useFactory: (queue: TraceQueue, bus: MessageBus, journal: Journal, { traceRetentionSeconds }: QuerySettings) =>
        new TraceRecording(queue, () => startTraceRecorder(bus, journal, { retentionSeconds: traceRetentionSeconds })),
    },
    {
      provide: SearchKnowledge,
      inject: [PORT.Catalog, PORT.VectorIndex, PORT.LexicalIndex, PORT.ScopeKeys, PORT.EmbeddingProviders, PORT.ReadModels, TraceQueue, PORT.Admission],
      useFactory: (
        catalog: Catalog, vectors: VectorIndex, lexical: LexicalIndex, keys: ScopeKeys, providers: EmbeddingProviders, readModels: ReadModels, traces: TraceQueue,
        admission: Admission,
      ) => new SearchKnowledge({ catalog, vectors, lexical, keys, providers, readModels, traces, admission }),
    },
    {
      provide: RetrieveContext,
      inject: [SearchKnowledge, PORT.TokenCounter, PORT.Admission],
      useFactory: (search: SearchKnowledge, tokens: TokenCounter, admission: Admission) => new RetrieveContext(search, tokens, admission),
    },
  ],
  exports: [SearchKnowledge],
})
export class QueryModule {}
