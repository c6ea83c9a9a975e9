import type { Access } from '@palimpsest/knowledge/access';
import { knowledgeBaseId, tenantId, vectorScope, type DocumentId, type TenantId, type TenantScope } from '@palimpsest/knowledge/values';
import type { Prng } from '../kernel/prng.ts';

export const BASE = knowledgeBaseId('handbook');
export const SCOPE = vectorScope('team:red');

/** What a client submits: sections with one chunk each, recognised by a word that no other section of the installation contains. */
export type Content = Readonly<{ words: readonly string[]; text: string }>;

const WORDS_PER_SECTION = 18;

const contentOf = (words: readonly string[]): Content => ({
  words,
  text: words.map((word) => `# ${word}\n\n${`${word} `.repeat(WORDS_PER_SECTION)}\n`).join('\n'),
});

/** What a client knows about one of its documents. */
export class ClientDocument {
  readonly tenant: TenantId;
  readonly source: string;
  readonly access: Access;
  id: DocumentId | undefined;
  /** What it contains after the last acknowledged change; undefined: it does not exist. */
  current: Content | undefined;
  /** All words that were ever submitted. */
  readonly everSubmitted = new Set<string>();
  #sections = 0;

  constructor(access: Access, source: string) {
    [this.access, this.tenant, this.source] = [access, access.tenant, source];
  }

  get scope(): TenantScope {
    return { tenant: this.tenant, scope: SCOPE };
  }

  /** The next content: some sections of the present one, and new ones. */
  next(prng: Prng): Content {
    const kept = (this.current?.words ?? []).filter(() => prng.chance(0.5));
    const added = Array.from({ length: prng.int(1, 2) }, () => `${this.tenant}${this.source}s${this.#sections++}`);
    for (const word of added) this.everSubmitted.add(word);
    return contentOf([...kept, ...added]);
  }
}

export class ClientTenant {
  readonly access: Access;
  readonly documents: readonly ClientDocument[];

  constructor(name: string, documents: number) {
    this.access = { tenant: tenantId(name), teams: ['red'], roles: ['admin'], actor: `key-of-${name}` };
    this.documents = Array.from({ length: documents }, (_, i) => new ClientDocument(this.access, `d${i}`));
  }
}
