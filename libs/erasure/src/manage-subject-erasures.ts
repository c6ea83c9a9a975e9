import type { Loaded } from '@palimpsest/contracts';
import type { ErasureReceipt } from '@palimpsest/contracts/http';
import { eraseSubject, findSubject, getSubjectErasure, getSubjectErasureReceipt } from '@palimpsest/contracts/routes/subject-erasure';
import { Mutex } from '@palimpsest/foundation';
import { requireAllTeams, type Access } from '@palimpsest/knowledge/access';
import type { SubjectErasure } from '@palimpsest/knowledge/erasure';
import { InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import type { SubjectId, SubjectKey, TenantSubject } from '@palimpsest/knowledge/subjects';
import type { Position } from '@palimpsest/knowledge/values';
import type { EraseSubject as EraseSteps } from './erase-subject.ts';

/** How long a command waits for the read models of this process. The event is on the log in any case. */
const READ_MODELS_MS = 10_000;

type Person = Readonly<{ subject: SubjectId }>;
type Named = Readonly<{ subject: SubjectKey }>;
export type SubjectFound = Readonly<{ documents: number; passages: number; scopes: number }>;
export type SubjectStatus = Readonly<{ subject: SubjectKey; state: SubjectErasure; position: Position }>;

export class FindSubject extends query<Person, SubjectFound>(findSubject, NO_ROWS) {}
export class EraseSubject extends command<Person & Readonly<{ confirm: string }>, SubjectStatus>(eraseSubject) {}
export class GetSubjectErasure extends query<Named, SubjectStatus>(getSubjectErasure, NO_ROWS) {}
export class GetSubjectErasureReceipt extends query<Named, ErasureReceipt>(getSubjectErasureReceipt, NO_ROWS) {}

type Ports = Readonly<{
  keys: Pick<ScopeKeys, 'subjects'>;
  steps: Pick<EraseSteps, 'load' | 'records' | 'request' | 'makeUnreadable'>;
  readModels: Pick<ReadModels, 'reached'>;
}>;

/** Erases data subjects: in all scopes of the tenant, also in those of users. So the caller needs a key for all teams. */
export class ManageSubjectErasures implements UseCase {
  readonly handlers = [
    on(FindSubject, ({ access, input }) => this.#find(access, input)),
    on(EraseSubject, ({ access, input, correlationId }) => this.#erase(access, input, correlationId)),
    on(GetSubjectErasure, async ({ access, input }) => this.#status(ofCaller(access, input))),
    on(GetSubjectErasureReceipt, ({ access, input }) => this.#receipt(ofCaller(access, input))),
  ];
  readonly #ports: Ports;
  /** The whole log is read for a question: of all callers, one at a time does. */
  readonly #reading = new Mutex();
  /** Erasures go on when the caller leaves. */
  readonly #signal = new AbortController().signal;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async #find(access: Access, { subject: id }: Person): Promise<SubjectFound> {
    requireAllTeams(access);
    const { tenant } = access;
    const { keys, steps } = this.#ports;
    const subject = await keys.subjects.find(tenant, id);
    if (subject === undefined) return { documents: 0, passages: 0, scopes: 0 };
    const { documents, passages } = await this.#reading.run(() => steps.records({ tenant, subject }, this.#signal));
    return { documents: documents.size, passages, scopes: new Set(documents.values()).size };
  }

  /** The key is destroyed when it returns; a worker does the rest. */
  async #erase(
    access: Access,
    { subject: id, confirm }: Person & Readonly<{ confirm: string }>,
    correlationId: string,
  ): Promise<SubjectStatus> {
    requireAllTeams(access);
    if (confirm !== id) throw new InvalidValue('confirm', 'the name of the person, as in `subject`, since it cannot be undone', confirm);
    const { keys, steps, readModels } = this.#ports;
    const { tenant, actor } = access;
    const subject = await keys.subjects.find(tenant, id);
    if (subject === undefined) throw new NotFound('person with documents', id);
    const of = { tenant, subject };
    await steps.request(of, this.#signal, { actor, correlationId });
    await steps.makeUnreadable(of, this.#signal, id);
    const status = await this.#status(of);
    // A search that is sent afterwards finds nothing.
    await readModels.reached(status.position, READ_MODELS_MS);
    return status;
  }

  async #receipt(of: TenantSubject): Promise<ErasureReceipt> {
    const { receipt } = (await this.#known(of)).state;
    if (receipt === undefined) throw new NotFound('receipt of an erasure of', of.subject);
    return JSON.parse(receipt) as ErasureReceipt;
  }

  async #status(of: TenantSubject): Promise<SubjectStatus> {
    const { state, position } = await this.#known(of);
    return { subject: of.subject, state, position };
  }

  /** @throws NotFound */
  async #known(of: TenantSubject): Promise<Loaded<SubjectErasure>> {
    const known = await this.#ports.steps.load(of);
    if (known.state.state === 'none') throw new NotFound('erasure', of.subject);
    return known;
  }
}

/** @throws Forbidden */
const ofCaller = (access: Access, { subject }: Named): TenantSubject => {
  requireAllTeams(access);
  return { tenant: access.tenant, subject };
};
