import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import type { EmbeddingProvider, ModelRegistry, RecordFingerprint, RegisteredModel } from '@palimpsest/knowledge/ports';
import { modelIdOf, type ModelDefinition, type ModelFingerprint } from '@palimpsest/knowledge/models';
import { embeddingVersion, embeddingVersionOf, recipeWith, type EmbeddingVersion } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '../fake-embeddings.ts';

const BUILT_IN = embeddingVersion('fake:built-in/8');

type Entry = Readonly<{ provider: EmbeddingProvider; described: RegisteredModel }>;

/**
 * A registry of bags of words. `onnx` is the name of a model of 16 dimensions; names with a slash and `missing` are refused. `open` makes
 * the model of an endpoint.
 */
export class InMemoryModelRegistry implements ModelRegistry {
  readonly current: EmbeddingProvider = aFakeEmbeddingProvider({ version: BUILT_IN });
  readonly #entries = new Map<EmbeddingVersion, Entry>();
  readonly #fingerprints = new Map<EmbeddingVersion, ModelFingerprint>();
  readonly #open: (version: EmbeddingVersion) => EmbeddingProvider;

  constructor(open = (version: EmbeddingVersion): EmbeddingProvider => aFakeEmbeddingProvider({ version })) {
    this.#open = open;
    this.#put(this.current, { origin: 'built-in', limits: {}, loaded: true });
  }

  of(version: EmbeddingVersion): EmbeddingProvider | undefined {
    return this.#entries.get(version)?.provider;
  }

  direct(version: EmbeddingVersion): EmbeddingProvider | undefined {
    return this.of(version);
  }

  async verify(): Promise<undefined> {
    return undefined;
  }

  fingerprint(version: EmbeddingVersion): ModelFingerprint | undefined {
    return this.#fingerprints.get(version);
  }

  fingerprinted(version: EmbeddingVersion, fingerprint: ModelFingerprint): void {
    this.#fingerprints.set(version, fingerprint);
  }

  recordFingerprints(_record?: RecordFingerprint): void {
    // No model changes under its name here.
  }

  versions(): readonly EmbeddingVersion[] {
    return [...this.#entries.keys()];
  }

  recipeOf(version: EmbeddingVersion): ReturnType<ModelRegistry['recipeOf']> {
    return recipeWith({ version });
  }

  models(): readonly RegisteredModel[] {
    return [...this.#entries.values()].map(({ described }) => described);
  }

  async check({ onnx, openai }: ModelDefinition): Promise<EmbeddingVersion> {
    if (openai !== undefined) return embeddingVersionOf({ provider: 'openai', ...openai });
    if (onnx === undefined || onnx.includes('/') || onnx === 'missing') throw new InvalidValue('onnx', 'the name of a model', onnx);
    return embeddingVersionOf({ provider: 'onnx', model: onnx, dimensions: 16 });
  }

  async add(definition: ModelDefinition): Promise<RegisteredModel> {
    const version = await this.check(definition);
    if (this.models().some(({ id }) => id === modelIdOf(version))) throw new Conflict(`the model ${version} is already available`);
    const { limits = {}, pricePerMillionTokens, openai, onnx } = definition;
    const location = openai?.baseUrl ?? onnx;
    return this.#put(this.#open(version), {
      origin: 'operator',
      limits,
      loaded: false,
      ...(pricePerMillionTokens === undefined ? {} : { pricePerMillionTokens }),
      ...(location === undefined ? {} : { location }),
    });
  }

  async remove(version: EmbeddingVersion): Promise<void> {
    const entry = this.#entries.get(version);
    if (entry === undefined) throw new NotFound('model', version);
    if (entry.described.origin !== 'operator') throw new Conflict(`no operator added the model ${version}`);
    this.#entries.delete(version);
  }

  #put(provider: EmbeddingProvider, described: Omit<RegisteredModel, 'id' | 'version'>): RegisteredModel {
    const model = { id: modelIdOf(provider.version), version: provider.version, ...described };
    this.#entries.set(provider.version, { provider, described: model });
    return model;
  }
}
