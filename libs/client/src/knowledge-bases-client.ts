import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { KnowledgeBaseView, KnowledgeBaseWritten } from '@palimpsest/contracts/http';
import type { KnowledgeBaseChange, NewKnowledgeBase } from './requests.ts';

/** Everything about knowledge bases (`client.knowledgeBases`). */
export class KnowledgeBasesClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(knowledgeBase: NewKnowledgeBase, { signal }: CallOptions = {}): Promise<KnowledgeBaseWritten> {
    return this.#transport.send({ method: 'POST', path: '/v1/knowledge-bases', json: knowledgeBase, signal });
  }

  async list({ signal }: CallOptions = {}): Promise<readonly KnowledgeBaseView[]> {
    const answer = await this.#transport.send<{ knowledgeBases: readonly KnowledgeBaseView[] }>({
      method: 'GET',
      path: '/v1/knowledge-bases',
      signal,
    });
    return answer.knowledgeBases;
  }

  get(id: string, { signal }: CallOptions = {}): Promise<KnowledgeBaseView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/knowledge-bases/${id}`, signal });
  }

  update(id: string, change: KnowledgeBaseChange, { signal }: CallOptions = {}): Promise<KnowledgeBaseWritten> {
    return this.#transport.send({ method: 'PATCH', path: path`/v1/knowledge-bases/${id}`, json: change, signal });
  }

  /** Until it is resumed, the knowledge base accepts no documents and holds back those that wait. Its indexed documents stay searchable. */
  pause(id: string, { signal }: CallOptions = {}): Promise<KnowledgeBaseWritten> {
    return this.#transport.send({ method: 'POST', path: path`/v1/knowledge-bases/${id}/pause`, signal });
  }

  /** Continues with the documents that were held back. */
  resume(id: string, { signal }: CallOptions = {}): Promise<KnowledgeBaseWritten> {
    return this.#transport.send({ method: 'POST', path: path`/v1/knowledge-bases/${id}/resume`, signal });
  }

  archive(id: string, { signal }: CallOptions = {}): Promise<KnowledgeBaseWritten> {
    return this.#transport.send({ method: 'POST', path: path`/v1/knowledge-bases/${id}/archive`, signal });
  }
}
