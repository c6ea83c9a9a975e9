import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { Consumer, GoldenQueries, MessageBus, TokenCounter } from '@palimpsest/knowledge/ports';
import type { Views } from '@palimpsest/knowledge/read-models';
import type { PastViews } from '@palimpsest/knowledge/past';
import { feature, type OnFault, type Task } from '@palimpsest/runtime';
import { VERSION } from '@palimpsest/foundation/version';
import { LiveCanaries } from '../canary/live-canaries.ts';
import { RetrieveContextHandler } from '../context/retrieve-context.ts';
import { Background } from '../pipeline/background.ts';
import { searchStages, type StagePorts } from '../pipeline/search-stages.ts';
import { unobserved, type ObserveRetrieval } from '../search/retrieval-seen.ts';
import { SearchKnowledgeHandler } from '../search/search-knowledge.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { startRetrievalRecorder } from '../retrieval-records/retrieval-recorder.ts';
import { ReplayRetrievalHandler } from '../replay/replay-retrieval.ts';
import { ReplayWindowHandler } from '../replay/replay-window.ts';
import { GetLineageHandler, type LineagePorts } from '../lineage/get-lineage.ts';
import { LineageController } from './lineage-controller.ts';
import { ReplayController } from './replay-controller.ts';
import { Strategies } from '../strategy/strategies.ts';
import { SearchController } from './search-controller.ts';
import { StrategyController } from './strategy-controller.ts';

/** `gateQueries`: the most judged queries of an evaluation. */
export type QuerySettings = Readonly<{ retrievalRecordRetentionSeconds: number; gateQueries: number }>;

export type QueryPorts = Omit<StagePorts, 'background'> &
  LineagePorts &
  Readonly<{
    journal: Journal;
    bus: MessageBus;
    views: Views;
    pastViews: PastViews;
    tokens: TokenCounter;
    goldenQueries: GoldenQueries;
    quotas: QuotaPolicy;
    settings: QuerySettings;
    onFault: OnFault;
    system: System;
    observeRetrieval?: ObserveRetrieval;
    /** Set if the live vectors are in a store that several processes share. */
    sharedIndexes?: object;
  }>;

/** Searches, context for prompts, and the records of both. */
export const query = feature('query', (ports: QueryPorts) => {
  const {
    journal,
    bus,
    keys,
    views,
    pastViews,
    providers,
    reranker,
    chat,
    tokens,
    goldenQueries: golden,
    quotas,
    settings,
    onFault,
    system,
    observeRetrieval = unobserved,
  } = ports;
  const retrievalRecords = new RetrievalRecordQueue(bus, (error) => onFault(error, 'publishing retrieval records'), system.scheduler);
  const background = new Background();
  const canaries = new LiveCanaries({ journal, system, onFault });
  const stages = searchStages({ providers, keys, reranker, chat, background });
  const searchKnowledge = new SearchKnowledgeHandler(
    {
      views,
      pastViews,
      keys,
      providers,
      reranker,
      background,
      chat,
      records: retrievalRecords,
      quotaPolicy: quotas,
      version: VERSION,
      canaries,
      observeRetrieval,
      system,
    },
    stages,
  );
  const analyser = (): string => providers.recipeOf(providers.current.version).analyser;
  const replay = new ReplayRetrievalHandler({
    ...{ journal, keys, providers, reranker, background, chat, views, pastViews, analyser },
    sharesVectors: ports.sharedIndexes !== undefined,
  });
  const strategies = new Strategies({ journal, views, stages, golden, reranker, settings, system });
  return {
    offers: { retrievalRecords },
    useCases: [
      searchKnowledge,
      new RetrieveContextHandler(searchKnowledge, tokens),
      replay,
      new ReplayWindowHandler({ journal, views, replay }),
      new GetLineageHandler(ports),
      strategies,
    ],
    followers: [canaries],
    consumers: [
      { start: () => undefined, stop: () => strategies.stop() },
      recording(retrievalRecords, () =>
        startRetrievalRecorder(bus, journal, { retentionSeconds: settings.retrievalRecordRetentionSeconds, system }),
      ),
    ],
    routes: [SearchController, ReplayController, LineageController, StrategyController],
  };
});

/** Records retrievals in the background. At the end, after the last response, it publishes the remaining records. */
const recording = (queue: RetrievalRecordQueue, startRecorder: () => Promise<Consumer>): Task => {
  let recorder: Consumer | undefined;
  return {
    start: async () => void (recorder = await startRecorder()),
    stop: async () => {
      await queue.flush();
      await recorder?.stop();
    },
  };
};
