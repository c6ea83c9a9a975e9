import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { liveViews, type ReadModelParts } from './live-views.ts';

/** Injection tokens: apps bind adapters and settings to them, features inject them. */
export const PORT = {
  Journal: Symbol('Journal'),
  MessageBus: Symbol('MessageBus'),
  BlobStore: Symbol('BlobStore'),
  ScopeKeys: Symbol('ScopeKeys'),
  EmbeddingProviders: Symbol('EmbeddingProviders'),
  VectorIndex: Symbol('VectorIndex'),
  LexicalIndex: Symbol('LexicalIndex'),
  Catalog: Symbol('Catalog'),
  DocumentParser: Symbol('DocumentParser'),
  TokenCounter: Symbol('TokenCounter'),
  Checkpoints: Symbol('Checkpoints'),
  ReadModels: Symbol('ReadModels'),
  /** What queries read from: a view of the bound read models. */
  Views: Symbol('Views'),
  /** Distributes shares of tasks among processes. */
  PartitionLeases: Symbol('PartitionLeases'),
  /** Rates and quotas of tenants. */
  QuotaPolicy: Symbol('QuotaPolicy'),
  Settings: Symbol('Settings'),
  /** Recent activity of the process. */
  Figures: Symbol('Figures'),
  /** `(error, about) => void`: logs an error outside of requests. */
  OnFault: Symbol('OnFault'),
} as const;

export type OnFault = (error: unknown, about: string) => void;

/** Provides the bound ports to all modules. */
@Global()
@Module({})
export class Ports {
  static bind(bound: ReadonlyMap<symbol, unknown>): DynamicModule {
    const all = new Map([...bound, [PORT.Views, liveViews(partsOf(bound))]]);
    const providers: Provider[] = [...all].map(([provide, useValue]) => ({ provide, useValue }));
    return { module: Ports, providers, exports: [...all.keys()] };
  }
}

const partsOf = (bound: ReadonlyMap<symbol, unknown>): ReadModelParts =>
  ({ catalog: bound.get(PORT.Catalog), vectors: bound.get(PORT.VectorIndex), lexical: bound.get(PORT.LexicalIndex), readModels: bound.get(PORT.ReadModels) }) as ReadModelParts;

/** Current time, ISO 8601 in UTC: the clock of all use cases. */
export const now = (): string => new Date().toISOString();
