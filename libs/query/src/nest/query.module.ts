import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import type { QuotaPolicy, Consumer, EmbeddingProviders, MessageBus, ScopeKeys, TokenCounter, Views } from '@palimpsest/knowledge';
import { PORT, VERSION, type OnFault } from '@palimpsest/runtime';
import { RetrieveContext } from '../context/retrieve-context.ts';
import { SearchKnowledge } from '../search/search-knowledge.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { startRetrievalRecorder } from '../retrieval-records/retrieval-recorder.ts';
import { SearchController } from './search-controller.ts';

export type QuerySettings = Readonly<{ retrievalRecordRetentionSeconds: number }>;

/** Records retrievals in the background. On shutdown, after the last response, it publishes the remaining retrieval records. */
class RetrievalRecording implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #queue: RetrievalRecordQueue;
  readonly #start: () => Promise<Consumer>;
  #consumer: Consumer | undefined;

  constructor(queue: RetrievalRecordQueue, start: () => Promise<Consumer>) {
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
      provide: RetrievalRecordQueue,
      inject: [PORT.MessageBus, PORT.OnFault],
      useFactory: (bus: MessageBus, onFault: OnFault) => new RetrievalRecordQueue(bus, (error) => onFault(error, 'publishing retrieval records')),
    },
    {
      provide: RetrievalRecording,
      inject: [RetrievalRecordQueue, PORT.MessageBus, PORT.Journal, PORT.Settings],
      useFactory: (queue: RetrievalRecordQueue, bus: MessageBus, journal: Journal, { retrievalRecordRetentionSeconds }: QuerySettings) =>
        new RetrievalRecording(queue, () => startRetrievalRecorder(bus, journal, { retentionSeconds: retrievalRecordRetentionSeconds })),
    },
    {
      provide: SearchKnowledge,
      inject: [PORT.Views, PORT.ScopeKeys, PORT.EmbeddingProviders, RetrievalRecordQueue, PORT.QuotaPolicy],
      useFactory: (views: Views, keys: ScopeKeys, providers: EmbeddingProviders, records: RetrievalRecordQueue, quotaPolicy: QuotaPolicy) =>
        new SearchKnowledge({ views, keys, providers, records, quotaPolicy, version: VERSION }),
    },
    {
      provide: RetrieveContext,
      inject: [SearchKnowledge, PORT.TokenCounter, PORT.QuotaPolicy],
      useFactory: (search: SearchKnowledge, tokens: TokenCounter, quotaPolicy: QuotaPolicy) => new RetrieveContext(search, tokens, quotaPolicy),
    },
  ],
  exports: [SearchKnowledge],
})
export class QueryModule {}
