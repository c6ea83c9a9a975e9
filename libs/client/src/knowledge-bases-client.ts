import { path } from './transport.ts';
import type { CallOptions, InTime } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { KnowledgeBaseDetails, KnowledgeBaseList, KnowledgeBaseView, KnowledgeBaseWritten } from '@palimpsest/contracts/http';
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

  async list(options: InTime = {}): Promise<readonly KnowledgeBaseView[]> {
    return (await this.listAt(options)).knowledgeBases;
  }

  /** The same, with the moment that it shows. */
  listAt({ asOf, signal }: InTime = {}): Promise<KnowledgeBaseList> {
    return this.#transport.send({ method: 'GET', path: '/v1/knowledge-bases', query: { asOf }, signal });
  }

  get(id: string, { asOf, signal }: InTime = {}): Promise<KnowledgeBaseDetails> {
    return this.#transport.send({ method: 'GET', path: path`/v1/knowledge-bases/${id}`, query: { asOf }, signal });
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

  /** Its documents are deleted in the background, then the knowledge base itself: until then, `get` shows how many are left. */
  remove(id: string, { signal }: CallOptions = {}): Promise<KnowledgeBaseWritten> {
    return this.#transport.send({ method: 'DELETE', path: path`/v1/knowledge-bases/${id}`, signal });
  }
}
