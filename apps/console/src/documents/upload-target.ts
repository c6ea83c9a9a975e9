import type { KnowledgeBaseView } from '@palimpsest/client';

type Base = Pick<KnowledgeBaseView, 'id' | 'status'>;
type Option = Readonly<{ id: string; label: string }>;

/** Where uploads go: `refusal` says why nothing can be uploaded there. */
export type UploadTarget = Readonly<{ id: string; options: readonly Option[]; refusal?: string }>;

/** Made by the server with the first document that is sent to it. */
const DEFAULT = 'default';

/**
 * Uploads go to the knowledge base that is selected, and to no other: when that one takes no documents, the panel says so.
 * @param knowledgeBases undefined while they are being loaded
 */
export const uploadTarget = (knowledgeBases: readonly Base[] | undefined, selected: string | undefined): UploadTarget => {
  const id = selected ?? DEFAULT;
  const listed = knowledgeBases ?? [];
  const found = listed.find((base) => base.id === id);
  const options = listed.filter((base) => base.status === 'active' || base.id === id).map((base) => ({ id: base.id, label: base.status === 'active' ? base.id : `${base.id} (${base.status})` }));
  for (const missing of new Set([id, DEFAULT])) if (!listed.some((base) => base.id === missing)) options.unshift({ id: missing, label: missing });
  const refusal = knowledgeBases === undefined ? 'The knowledge bases are being loaded.' : refusalOf(id, found);
  return { id, options, ...(refusal === undefined ? {} : { refusal }) };
};

const refusalOf = (id: string, found: Base | undefined): string | undefined => {
  if (found === undefined) return id === DEFAULT ? undefined : `There is no knowledge base “${id}”, or your key may not read it. Choose another one.`;
  if (found.status === 'paused') return `The knowledge base “${id}” is paused and takes no documents. Resume it, or choose another one.`;
  if (found.status === 'archived') return `The knowledge base “${id}” is archived and takes no documents. Choose another one.`;
  return undefined;
};
