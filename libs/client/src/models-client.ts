import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { ModelTest, ModelView } from '@palimpsest/contracts/http';
import type { NewModel } from './requests.ts';

/** The embedding models of the installation (`client.models`). All methods except `list` are for operators. */
export class ModelsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list({ signal }: CallOptions = {}): Promise<readonly ModelView[]> {
    const { models } = await this.#transport.send<{ models: readonly ModelView[] }>({ method: 'GET', path: '/v1/models', signal });
    return models;
  }

  /** Adds the folder of an ONNX model, or an OpenAI-compatible endpoint. The model is not called. */
  add(model: NewModel, { signal }: CallOptions = {}): Promise<ModelView> {
    return this.#transport.send({ method: 'POST', path: '/v1/models', json: model, signal });
  }

  /** Refused while a scope has a generation of the model. */
  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#transport.send({ method: 'DELETE', path: path`/v1/models/${id}`, signal });
  }

  /** Embeds a few fixed sentences, without a cache. */
  test(id: string, { signal }: CallOptions = {}): Promise<ModelTest> {
    return this.#transport.send({ method: 'POST', path: path`/v1/models/${id}/test`, signal });
  }
}
