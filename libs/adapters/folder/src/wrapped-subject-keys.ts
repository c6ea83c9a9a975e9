import { createHmac, randomBytes } from 'node:crypto';
import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import { blobKey, ScopeKeyDestroyed, type BlobKey } from '@palimpsest/knowledge/ports';
import { subjectKey, type SubjectId, type SubjectKey, type SubjectKeys, type TenantSubject } from '@palimpsest/knowledge/subjects';
import { tenantId, type TenantId } from '@palimpsest/knowledge/values';
import type { KeyRing, RingKey, Store } from './key-ring.ts';
import { unwrap, wrap, type Wrapped } from './wrapped-key.ts';

/** Where the keys of data subjects are, below `keys/<tenant>`; no scope has such a name. */
const KEYS = 'subject-keys';
/** Which person has which key, under a digest of their id. */
const NAMES = 'subject-names';

export const ringKeyOf = ({ tenant, subject }: TenantSubject): RingKey => ({
  blob: blobKey(`keys/${tenant}/${KEYS}/${subject}`),
  bound: ['subject key', 1, tenant, subject],
  named: `the key of a data subject (${subject}) of tenant "${tenant}"`,
  gone: () => new ScopeKeyDestroyed('the key of the person whom the document is about was destroyed: it can no longer be read'),
});

export class WrappedSubjectKeys implements SubjectKeys {
  readonly #store: Store;
  readonly #ring: KeyRing;

  constructor(store: Store, ring: KeyRing) {
    this.#store = store;
    this.#ring = ring;
  }

  async of(tenant: TenantId, id: SubjectId): Promise<SubjectKey> {
    const { blobs, masterKey } = this.#store;
    const name = this.#nameOf(tenant, id);
    const made = subjectKey(randomBytes(16).toString('hex'));
    for (;;) {
      const known = await this.#read(tenant, name);
      if (known !== undefined && !(await this.#ring.isDestroyed(ringKeyOf({ tenant, subject: known }).blob))) return known;
      // The erasure of this person was interrupted before their name was forgotten.
      if (known !== undefined) await blobs.delete(name);
      if (await blobs.putIfAbsent(name, wrap(masterKey, wrappedAs(name), Buffer.from(made, 'hex')))) return made;
    }
  }

  find(tenant: TenantId, id: SubjectId): Promise<SubjectKey | undefined> {
    return this.#read(tenant, this.#nameOf(tenant, id));
  }

  async forget({ tenant, subject }: TenantSubject, id?: SubjectId): Promise<void> {
    const names = id === undefined ? this.#store.blobs.list(`keys/${tenant}/${NAMES}`) : [this.#nameOf(tenant, id)];
    for await (const name of names) if ((await this.#read(tenant, name)) === subject) await this.#store.blobs.delete(name);
  }

  async forgetAll(tenant: TenantId): Promise<void> {
    for (const folder of [NAMES, KEYS])
      for await (const blob of this.#store.blobs.list(`keys/${tenant}/${folder}`)) await this.#store.blobs.delete(blob);
  }

  destroy(of: TenantSubject): Promise<void> {
    return this.#ring.destroy(ringKeyOf(of));
  }

  async *destroyed(): AsyncIterable<TenantSubject> {
    for await (const blob of this.#store.blobs.list('keys')) {
      const of = subjectIn(blob);
      if (of && (await this.#ring.isDestroyed(blob))) yield of;
    }
  }

  /** A digest under a key of the installation: no one else can find a person by it. */
  #nameOf(tenant: TenantId, id: SubjectId): BlobKey {
    const digest = createHmac('sha256', this.#store.masterKey)
      .update(JSON.stringify(['subject name', tenant, id]))
      .digest('hex');
    return blobKey(`keys/${tenant}/${NAMES}/${digest}`);
  }

  async #read(tenant: TenantId, name: BlobKey): Promise<SubjectKey | undefined> {
    const { blobs, masterKey } = this.#store;
    const found = await blobs.get(name);
    if (found === undefined) return undefined;
    const content = unwrap(masterKey, wrappedAs(name), found);
    if (content === 'destroyed') throw new Corrupt(`${name} of tenant "${tenant}" contains no key`);
    if (content.length !== 16) throw new Unavailable(`${name} has another content than expected`);
    return subjectKey(Buffer.from(content).toString('hex'));
  }
}

const wrappedAs = (name: BlobKey): Wrapped => ({ bound: ['subject name', 1, name], named: name });

/** Returns undefined for the blob of another key. */
export const subjectIn = (blob: BlobKey): TenantSubject | undefined => {
  const [, tenant, folder, subject] = blob.split('/');
  try {
    return folder === KEYS ? { tenant: tenantId(tenant), subject: subjectKey(subject) } : undefined;
  } catch {
    return undefined;
  }
};
