import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { subjectKey, type Sealing, type SubjectKey, type SubjectKeys, type TenantSubject } from '@palimpsest/knowledge/subjects';
import { scopeKey } from '@palimpsest/knowledge/values';
import type { ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { TenantScope } from '@palimpsest/knowledge/values';

type Stored = Readonly<{
  keys: Map<string, ScopeKey | 'destroyed'>;
  destroyed: Map<string, TenantScope>;
  masterKey: string;
  /** By tenant and person. */
  subjects: Map<string, SubjectKey>;
  destroyedSubjects: Map<string, TenantSubject>;
}>;

/** As key objects: Node takes several times as long to use a key from bytes. `derived`: separate keys, by what they are for. */
type ScopeKey = Readonly<{ seals: KeyObject; derived: (purpose: string) => KeyObject }>;

const scopeKeyOf = (bytes: Buffer): ScopeKey => {
  const derived = new Map<string, KeyObject>();
  return {
    seals: createSecretKey(bytes),
    derived: (purpose) => {
      const key = derived.get(purpose) ?? createSecretKey(createHmac('sha256', bytes).update(purpose).digest());
      derived.set(purpose, key);
      return key;
    },
  };
};

type RandomBytes = (count: number) => Buffer;

const PLAIN = Buffer.of(1);
const NONCE = 12;
const TAG = 16;

/** Real encryption with keys that are stored in memory, unwrapped. */
export class InMemoryScopeKeys implements ScopeKeys {
  readonly #stored: Stored;
  readonly #masterKey: string;
  readonly #random: RandomBytes;

  /** `random`: makes keys and nonces. */
  constructor(
    masterKey = 'right',
    stored: Stored = { keys: new Map(), destroyed: new Map(), masterKey, subjects: new Map(), destroyedSubjects: new Map() },
    random: RandomBytes = randomBytes,
  ) {
    this.#random = random;
    this.#masterKey = masterKey;
    this.#stored = stored;
  }

  /** The keys as another process has them, with the same or another master key. */
  reopened(masterKey = this.#masterKey): InMemoryScopeKeys {
    return new InMemoryScopeKeys(masterKey, this.#stored, this.#random);
  }

  async cipher({ tenant, scope, subject }: Sealing): Promise<ScopeCipher> {
    if (this.#masterKey !== this.#stored.masterKey)
      throw new Unavailable(`the master key ${this.#masterKey} is not the one that wrapped this scope's key`);
    const name = scopeKey({ tenant, scope });
    const ofScope = this.#key(name);
    if (subject === undefined) return this.#cipher(name, PLAIN, ofScope);
    const ofSubject = this.#key(subjectName({ tenant, subject }));
    const both = (): ScopeKey =>
      scopeKeyOf(
        Buffer.from(
          ofSubject()
            .derived(`with ${name}`)
            .export()
            .map((byte, i) => byte ^ (ofScope().seals.export()[i] ?? 0)),
        ),
      );
    both();
    return this.#cipher(`${name}/${subject}`, Buffer.concat([Buffer.of(2), Buffer.from(subject, 'hex')]), both);
  }

  /** Creates the key if there is none. */
  #key(name: string): () => ScopeKey {
    const { keys } = this.#stored;
    if (!keys.has(name)) keys.set(name, scopeKeyOf(this.#random(32)));
    const key = (): ScopeKey => {
      const found = keys.get(name);
      if (found === undefined || found === 'destroyed') throw new ScopeKeyDestroyed(`the key of ${name} was destroyed`);
      return found;
    };
    key();
    return key;
  }

  #cipher(name: string, head: Buffer, key: () => ScopeKey): ScopeCipher {
    const sealer = (seals: () => KeyObject): Pick<ScopeCipher, 'seal' | 'open'> => ({
      seal: (plain, context) => seal(seals(), plain, aad(name, context), head, this.#random(NONCE)),
      open: (sealed, context) => open(seals(), sealed, aad(name, context), head),
    });
    return {
      ...sealer(() => key().seals),
      derived: (purpose) => sealer(() => key().derived(`sealing: ${purpose}`)),
      digest: (content, purpose) =>
        createHmac('sha256', key().derived('digests'))
          .update(`${JSON.stringify([name, purpose])}\n`)
          .update(content)
          .digest('hex'),
    };
  }

  async destroy(scope: TenantScope): Promise<void> {
    this.#stored.keys.set(scopeKey(scope), 'destroyed');
    this.#stored.destroyed.set(scopeKey(scope), scope);
  }

  async *destroyed(): AsyncIterable<TenantScope> {
    yield* this.#stored.destroyed.values();
  }

  readonly subjects: SubjectKeys = {
    of: async (tenant, id) => {
      const { subjects } = this.#stored;
      const known = subjects.get(`${tenant}/${id}`);
      if (known !== undefined && !this.#stored.destroyedSubjects.has(subjectName({ tenant, subject: known }))) return known;
      const made = subjectKey(this.#random(16).toString('hex'));
      subjects.set(`${tenant}/${id}`, made);
      return made;
    },
    find: async (tenant, id) => this.#stored.subjects.get(`${tenant}/${id}`),
    forget: async ({ tenant, subject }, id) => {
      const { subjects } = this.#stored;
      for (const [name, key] of subjects)
        if (key === subject && (id === undefined ? name.startsWith(`${tenant}/`) : name === `${tenant}/${id}`)) subjects.delete(name);
    },
    forgetAll: async (tenant) => {
      const { subjects, keys } = this.#stored;
      for (const names of [subjects, keys])
        for (const name of names.keys())
          if (name.startsWith(`${tenant}/`) && (names === subjects || name.includes('/subjects/'))) names.delete(name);
    },
    destroy: async (of) => {
      this.#stored.keys.set(subjectName(of), 'destroyed');
      this.#stored.destroyedSubjects.set(subjectName(of), of);
    },
    destroyed: () => valuesOf(this.#stored.destroyedSubjects),
  };
}

const subjectName = ({ tenant, subject }: TenantSubject): string => `${tenant}/subjects/${subject}`;

async function* valuesOf<Value>(map: ReadonlyMap<string, Value>): AsyncIterable<Value> {
  yield* map.values();
}

/** UTF-16, so that lone surrogates stay distinct. */
const aad = (scope: string, context: string): Buffer => Buffer.from(`${scope}\n${context}`, 'utf16le');

const seal = (key: KeyObject, plain: Uint8Array, context: Buffer, head: Buffer, nonce: Buffer): Uint8Array => {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
  return new Uint8Array(Buffer.concat([head, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
};

const open = (key: KeyObject, sealed: Uint8Array, context: Buffer, head: Buffer): Uint8Array => {
  const start = head.length + NONCE;
  if (sealed.length < start + TAG || head.some((byte, i) => sealed[i] !== byte)) throw new Corrupt('these bytes were not sealed here');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(head.length, start))
    .setAAD(context)
    .setAuthTag(sealed.subarray(-TAG));
  try {
    const plain = [decipher.update(sealed.subarray(start, -TAG)), decipher.final()];
    return new Uint8Array(Buffer.concat(plain));
  } catch (cause) {
    throw new Corrupt('the sealed bytes, their context or their key differ', { cause });
  }
};
