import type { EmbeddingProvider, EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { embeddingVersion, recipeWith, type Position } from '@palimpsest/knowledge/values';
import {
  aFakeEmbeddingProvider,
  aRegisteredModel,
  InMemoryBlobStore,
  InMemoryCheckpoints,
  InMemoryEventLog,
  InMemoryScopeKeys,
} from '@palimpsest/test-kit';
import { World } from '../kernel/world.ts';
import type { SimulationOptions } from '../options.ts';
import { BusServer } from '../servers/bus-server.ts';
import { LeaseServer } from '../servers/lease-server.ts';
import { Network } from '../servers/network.ts';

const SMALL = aFakeEmbeddingProvider({ version: embeddingVersion('fake:small/8') });
const LARGE = aFakeEmbeddingProvider({ version: embeddingVersion('fake:large/12') });

/** The servers that all processes share, and what the operator has configured. */
export class Cluster {
  readonly options: SimulationOptions;
  readonly world: World;
  readonly network: Network;
  readonly log: InMemoryEventLog;
  readonly bus: BusServer;
  readonly leases: LeaseServer;
  readonly blobs = new InMemoryBlobStore();
  readonly checkpoints = new InMemoryCheckpoints(new Map<string, Position>());
  readonly keys: InMemoryScopeKeys;
  /** What must never happen, and did. */
  readonly violations: string[] = [];
  #model: EmbeddingProvider = SMALL;

  constructor(options: SimulationOptions) {
    this.options = options;
    const world = new World(options.seed);
    this.world = world;
    this.network = new Network(world, options);
    this.log = new InMemoryEventLog({ now: () => world.date });
    this.bus = new BusServer(world, this.network, options);
    this.leases = new LeaseServer(world);
    const secrets = world.prng.fork();
    this.keys = new InMemoryScopeKeys('right', undefined, (count) => secrets.bytes(count));
  }

  /** The operator configures the other model. */
  changeModel(): void {
    this.world.note('the model changes');
    this.#model = LARGE;
  }

  get model(): EmbeddingProvider {
    return this.#model;
  }

  readonly providers: EmbeddingProviders = (() => {
    const model = (): EmbeddingProvider => this.#model;
    return {
      get current() {
        return model();
      },
      of: (version) => [SMALL, LARGE].find((provider) => provider.version === version),
      versions: () => [SMALL.version, LARGE.version],
      recipeOf: (version) => recipeWith({ version }),
      models: () => [SMALL, LARGE].map(({ version }) => aRegisteredModel(version)),
    };
  })();

  violation(what: string): void {
    this.world.note(`VIOLATION: ${what}`);
    this.violations.push(what);
  }
}
