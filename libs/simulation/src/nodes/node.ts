import { Journal } from '@palimpsest/contracts';
import { pause, timestamp, type Cancel, type System } from '@palimpsest/foundation';
import { ingestion, RechunkDocument } from '@palimpsest/ingestion';
import type { DocumentParser, Embedder, EmbeddingProviders, ModelRegistry, ParsedDocument } from '@palimpsest/knowledge/ports';
import { DEFAULT_TENANT, type Position } from '@palimpsest/knowledge/values';
import { createPlatform } from '@palimpsest/platform';
import { administration, logProofs, KeptPastViews, readModels, ReadModelRunner, relay } from '@palimpsest/projections';
import { query } from '@palimpsest/query';
import { reembedding } from '@palimpsest/generations';
import {
  InMemoryCatalog,
  InMemoryLexicalIndex,
  InMemoryVectorIndex,
  inMemorySigner,
  lexicalDigestInMemory,
  vectorDigestInMemory,
  wordCounter,
} from '@palimpsest/test-kit';
import { simulatedSystem } from '../kernel/simulated-system.ts';
import type { Life } from '../kernel/world.ts';
import type { Seams } from '../faults/mutant.ts';
import { remoteBus } from '../servers/bus-server.ts';
import { remoteLeases } from '../servers/lease-server.ts';
import { remoteLog } from '../servers/remote-log.ts';
import type { Cluster } from './cluster.ts';
import { localStores } from './local-stores.ts';
import { NodeDisk } from './node-disk.ts';
import { remoteBlobs, remoteCheckpoints } from './remote-stores.ts';

export type NodeKind = 'ingestion' | 'query' | 'reembedding';

const SETTINGS = {
  tiers: { tiers: {} },
  liveStreamsPerTenant: 1,
  queueCapacity: 10_000,
  ingestionConcurrency: 2,
  reembeddingConcurrency: 2,
  reembeddingShare: 1,
  acceptedSearchMs: 200,
  gateQueries: 50,
  gateSpotChecks: 20,
  swapsRequirePlan: false,
  // Processes end during many attempts here: a document must not fail because of that.
  ingestionAttempts: 1_000_000,
  maxDocumentBytes: 1_000_000,
  retrievalRecordRetentionSeconds: 86_400,
  checkpointMs: 10_000,
};
const PURGE_AFTER_MS = 5_000;
const START_AGAIN_MS = 1_000;

/** The time that a parser and a model take, in milliseconds: other processes change a document meanwhile. */
const PARSE_MS = [5, 2_000] as const;
const EMBED_MS = [5, 1_000] as const;

/** Markdown, in which a line that begins with "# " is a heading. */
const slowParser = ({ world }: Cluster, { scheduler }: System): DocumentParser => ({
  parse: async ({ bytes }, signal) => {
    await pause(world.prng.between(...PARSE_MS), signal, scheduler);
    signal?.throwIfAborted();
    const text = Buffer.from(bytes).toString();
    const document: ParsedDocument = {
      kind: 'markdown',
      text,
      mediaType: 'text/markdown',
      language: 'en',
      headings: [...text.matchAll(/^# (.*)$/gm)].map((match) => {
        return { level: 1, title: match[1] ?? '', start: match.index, end: match.index + match[0].length };
      }),
      pages: [],
      sheets: [],
      metadata: {},
      warnings: [],
    };
    return { outcome: 'parsed', document };
  },
  close: () => Promise.resolve(),
});

const slowModels = (
  { world, providers }: Cluster,
  { scheduler }: System,
): EmbeddingProviders & Pick<ModelRegistry, 'direct' | 'verify'> => {
  const slow = (embedder: Embedder | undefined): Embedder | undefined =>
    embedder && {
      ...embedder,
      embed: async (texts, kind, signal) => {
        await pause(world.prng.between(...EMBED_MS), signal, scheduler);
        return embedder.embed(texts, kind, signal);
      },
    };
  return {
    get current() {
      return providers.current;
    },
    of: (version, tenant) => slow(providers.of(version, tenant)),
    direct: (version) => slow(providers.of(version, DEFAULT_TENANT)),
    versions: () => providers.versions(),
    recipeOf: (version) => providers.recipeOf(version),
    models: () => providers.models(),
    verify: async () => undefined,
  };
};

const open = (cluster: Cluster, kind: NodeKind, disk: NodeDisk, life: Life, seams: Seams, onEnd: (end: Cancel) => void) => {
  const { world, network, keys } = cluster;
  const system = simulatedSystem(world, life, world.prng.int(-cluster.options.skewMs, cluster.options.skewMs));
  const onFault = (error: unknown, about: string): void => world.note(`${life.name} reports ${String(error)} (${about})`);
  const journal = new Journal(seams.log(remoteLog(cluster.log, network, life, onEnd), life), keys);
  const { catalog, vectors, lexical, checkpoints, alongside } = localStores(disk, network, life, (stores) => seams.stores(stores, life));
  const runner = new ReadModelRunner(
    { journal, catalog, keys, vectors, lexical },
    { checkpoints, purgeAfterMs: PURGE_AFTER_MS, onError: (error) => onFault(error, 'projecting events'), system },
  );
  const leases = remoteLeases(cluster.leases, { world, network, life, scheduler: system.scheduler }, (error) => onFault(error, 'a share'));
  const blobs = seams.blobs(remoteBlobs(cluster.blobs, network, life), life);
  const [providers, parser] = [slowModels(cluster, system), slowParser(cluster, system)];
  const openScratch = async () => {
    const set = { catalog: new InMemoryCatalog(), vectors: new InMemoryVectorIndex(), lexical: new InMemoryLexicalIndex() };
    const view = (position: Position) => ({ ...set, position: () => position, serving: () => true });
    return { ...set, view, discard: async () => undefined };
  };
  const pastViews = new KeptPastViews(
    { journal, keys, openScratch, system },
    {
      max: 2,
      maxBuilding: { total: 2, tenant: 2 },
      keepMs: PURGE_AFTER_MS,
      waitMs: 5_000,
      onFault: (error) => onFault(error, 'past views'),
    },
  );
  const ports = {
    journal,
    pastViews,
    catalog,
    vectors,
    lexical,
    alongside,
    readModels: seams.readModels(runner, life),
    bus: seams.bus(remoteBus(cluster.bus, network, life), life),
    leases: seams.leases(leases, life),
    checkpoints: seams.checkpoints(remoteCheckpoints(cluster.checkpoints, network, life), life),
    blobs,
    keys,
    signer: inMemorySigner(),
    providers,
    parser,
    rechunk: new RechunkDocument({ journal, blobs, keys, providers, parser, system, now: () => timestamp(system.clock) }),
    tokens: wordCounter,
    buckets: { take: async () => ({ allowed: true, remaining: 1, resetMs: 1 }), close: () => Promise.resolve() },
    digests: { vector: vectorDigestInMemory, lexical: lexicalDigestInMemory },
    embeddingCalls: () => 0,
    onFault,
    system,
    settings: SETTINGS,
  };
  switch (kind) {
    case 'ingestion':
      return { runner, kind, platform: createPlatform([readModels, relay, ingestion], ports) } as const;
    case 'reembedding':
      return { runner, kind, platform: createPlatform([readModels, relay, reembedding], ports) } as const;
    case 'query':
      return { runner, kind, platform: createPlatform([readModels, administration, logProofs, query], ports) } as const;
  }
};

export type Opened = ReturnType<typeof open>;
export type OpenedAs<Kind extends NodeKind> = Extract<Opened, { kind: Kind }>;

/** A process of the cluster: the features of a service on simulated ports. It can crash, hang and start again. */
export class SimulatedNode<Kind extends NodeKind = NodeKind> {
  readonly name: string;
  readonly kind: Kind;
  readonly disk = new NodeDisk();
  readonly #cluster: Cluster;
  readonly #seams: Seams;
  #life: Life | undefined;
  #lives = 0;
  #opened: OpenedAs<Kind> | undefined;
  #ends: Cancel[] = [];
  /** Called when the present life ends. */
  #onOver = new Set<() => void>();

  constructor(cluster: Cluster, kind: Kind, name: string, seams: Seams) {
    [this.#cluster, this.kind, this.name, this.#seams] = [cluster, kind, name, seams];
  }

  /** What runs now; undefined before it has started. */
  get running(): OpenedAs<Kind> | undefined {
    return this.#opened;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  start(): void {
    if (this.#life !== undefined) return;
    const life: Life = { name: `${this.name}#${++this.#lives}`, isOver: false, hangsUntil: 0 };
    this.#life = life;
    const opened = open(this.#cluster, this.kind, this.disk, life, this.#seams, (end) => this.#ends.push(end)) as OpenedAs<Kind>;
    this.#cluster.world.note(`${life.name} starts`);
    opened.platform.start().then(
      () => {
        if (life.isOver) return;
        this.#opened = opened;
        this.#cluster.world.note(`${life.name} has started`);
      },
      (error: unknown) => {
        if (life.isOver) return;
        this.#cluster.world.note(`${life.name} cannot start: ${String(error)}`);
        this.crash('kill');
        this.#cluster.world.plan(START_AGAIN_MS, '', () => this.start());
      },
    );
  }

  crash(kind: 'kill' | 'power cut'): void {
    const life = this.#life;
    if (life === undefined) return;
    this.#cluster.world.note(`${life.name} ends: ${kind}`);
    life.isOver = true;
    this.#life = undefined;
    this.#opened = undefined;
    this.disk.crash(kind, this.#cluster.world.prng);
    for (const end of this.#ends.splice(0)) end();
    for (const over of [...this.#onOver]) over();
    this.#onOver.clear();
  }

  hang(ms: number): void {
    if (this.#life === undefined) return;
    this.#cluster.world.note(`${this.#life.name} hangs for ${Math.round(ms)} ms`);
    this.#life.hangsUntil = this.#cluster.world.now + ms;
  }

  /**
   * A request of a client. `unknown`: the process ended, or the answer was lost; the work may have been done. Returns only when the work
   * has ended, so that no client is overtaken by its own earlier request.
   */
  request<T>(label: string, work: (opened: OpenedAs<Kind>) => Promise<T>): Promise<Answer<T>> {
    const { world, network } = this.#cluster;
    return new Promise((resolve) => {
      const answer = (given: Answer<T>): void => {
        this.#onOver.delete(over);
        resolve(given);
      };
      const over = (): void => void world.plan(network.delay(), `${label}: the connection ended`, () => answer({ outcome: 'unknown' }));
      world.plan(network.delay(), `client -> ${this.name} ${label}`, () => {
        const [opened, life] = [this.#opened, this.#life];
        if (opened === undefined || life === undefined) return answer({ outcome: 'refused', error: undefined });
        this.#onOver.add(over);
        const back = (given: Answer<T>): void => {
          if (life.isOver) return;
          this.#onOver.delete(over);
          world.plan(network.delay(), `${label}: ${given.outcome}`, () => answer(given), undefined);
        };
        const run = (): void =>
          void work(opened).then(
            (value) => back({ outcome: 'ok', value }),
            (error: unknown) => back({ outcome: 'refused', error }),
          );
        world.plan(0, '', run, life);
      });
    });
  }
}

export type Answer<T> =
  Readonly<{ outcome: 'ok'; value: T }> | Readonly<{ outcome: 'refused'; error: unknown }> | Readonly<{ outcome: 'unknown' }>;
