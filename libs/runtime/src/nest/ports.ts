import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';

/** What apps bind adapters and settings to, and features ask for. */
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
  /** Which shares of a common task are this process's. */
  Shares: Symbol('Shares'),
  /** What tenants may do. */
  Admission: Symbol('Admission'),
  Settings: Symbol('Settings'),
  /** What the process has been doing lately. */
  Figures: Symbol('Figures'),
  /** `(error, about) => void`: a fault behind the requests, for the log. */
  OnFault: Symbol('OnFault'),
} as const;

export type OnFault = (error: unknown, about: string) => void;

/** Gives every module what the app bound. */
@Global()
@Module({})
export class Ports {
  static bind(bound: ReadonlyMap<symbol, unknown>): DynamicModule {
    const providers: Provider[] = [...bound].map(([provide, useValue]) => ({ provide, useValue }));
    return { module: Ports, providers, exports: [...bound.keys()] };
  }
}

/** The present, ISO 8601 in UTC: the one clock that use cases are given. */
export const now = (): string => new Date().toISOString();
